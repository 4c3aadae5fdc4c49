import type { IncomingMessage, ServerResponse } from 'node:http';
import { isLoopback } from '../networkAddress.js';
import { keyOf, MemoryCodes, newCode, OneTimeCodes } from './oneTimeCodes.js';

export const ONE_TIME_PATH = '/open/';

const USED_UP = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>This link can't be used again</title>
<h1>This link can't be used again</h1>
<p>It works once, within ten minutes, on the machine of the host. Open the link that <code>agenthost serve</code> printed, or ask
<code>agenthost token show</code> for it.</p>
</html>
`;

/** Links that lead once to a secret address: for a browser on this machine whose command line others may see. */
export class OneTimeLinks {
  readonly #codes: OneTimeCodes<() => string>;

  constructor(now?: () => number) {
    this.#codes = new OneTimeCodes(new MemoryCodes(now));
  }

  /** The path of a new link. */
  create(target: () => string): string {
    const code = newCode();
    // In memory it is there at once.
    void this.#codes.put(code, target);
    return `${ONE_TIME_PATH}${code}`;
  }

  has(url: string | undefined): boolean {
    return url?.startsWith(ONE_TIME_PATH) ?? false;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isAllowed = request.method === 'GET' && isLocal(request);
    const found = isAllowed ? await this.#codes.take(keyOf(request.url?.slice(ONE_TIME_PATH.length) ?? '')) : undefined;
    if (found?.state === 'waiting') response.writeHead(303, { location: found.value() }).end();
    else response.writeHead(410, { 'content-type': 'text/html; charset=utf-8' }).end(USED_UP);
  }
}

/** Only from this machine, and not through a proxy on it. */
function isLocal({ socket, headers }: IncomingMessage): boolean {
  const { remoteAddress = '', localAddress } = socket;
  const isForwarded = headers.forwarded !== undefined || headers['x-forwarded-for'] !== undefined;
  return !isForwarded && (isLoopback(remoteAddress) || remoteAddress === localAddress);
}
