import { findHost } from '@agenthost/host/discovery';

/** `agenthost` without arguments: starts a host as `serve` does, or says where one runs. */
export async function startOrTell(): Promise<number> {
  const { url, stateDir } = findHost({ env: process.env });
  if (url === undefined || !(await isRunning(stateDir))) {
    const { command } = await import('../commands/serve.js');
    return command.run([]);
  }
  process.stdout.write(`A host runs at ${new URL(url).origin}.

  agenthost token show              its token, for another browser
  agenthost ls                      its sessions
  agenthost attach                  drive them in this terminal
  agenthost send --new "ls -la"     start a session with a message
  agenthost --help                  everything else
`);
  return 0;
}

/** A host that was killed has left its address. */
async function isRunning(stateDir: string): Promise<boolean> {
  const { findRunningHost } = await import('@agenthost/host/maintenance');
  return (await findRunningHost(stateDir)) !== undefined;
}
