import { findHost } from '@agenthost/host/discovery';

/** The output of `agenthost` without arguments. */
export function whatNext(): number {
  const { url } = findHost({ env: process.env });
  const next = url
    ? `A host runs at ${new URL(url).origin}.

  agenthost ls                      its sessions
  agenthost attach                  drive them in this terminal
  agenthost send --new "ls -la"     start a session with a message
`
    : `No host runs here yet.

  agenthost serve                   start one, and open the link that it prints
  agenthost doctor                  see whether everything is in place
`;
  process.stdout.write(`${next}  agenthost --help                  everything else\n`);
  return 0;
}
