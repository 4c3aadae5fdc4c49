/** What an AHP client needs to attach. */
export interface AhpAddress {
  /** With the token, for clients that take one address. */
  readonly url: string;
  readonly path: string;
  readonly token: string;
}

export const AHP_PATH = '/ahp';

/** AHP clients can send a token only in the query. */
export const AHP_TOKEN_PARAMETER = 'tkn';

export function ahpAddress(base: URL, token: string): AhpAddress {
  const url = new URL(AHP_PATH, base);
  url.protocol = base.protocol === 'https:' ? 'wss:' : 'ws:';
  url.search = new URLSearchParams({ [AHP_TOKEN_PARAMETER]: token }).toString();
  return { url: url.href, path: AHP_PATH, token };
}

export function describeAhp({ url, token }: AhpAddress): string {
  const { hostname, port, protocol } = new URL(url);
  const flags = [
    `--agent-host-bridge-host ${hostname}`,
    `--agent-host-bridge-port ${port || (protocol === 'wss:' ? '443' : '80')}`,
    `--agent-host-bridge-connection-token ${token}`,
  ];
  return `For clients of the Agent Host Protocol:\n\n  ${url}\n\nFor a VS Code server:\n\n  ${flags.join(' ')}`;
}
