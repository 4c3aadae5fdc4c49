import type { HostClient } from '@agenthost/client';
import { CommandError, EXIT } from '../commandError.js';
import { withoutStrings } from './withoutStrings.js';

/** Ends the log-in from here, should its program take no Ctrl+C. */
const LEAVE = '\u001d';

/** Runs the agent's own log-in on the host, in this terminal. */
export async function remoteLogin(host: HostClient, provider: string): Promise<string> {
  const { stdin, stdout } = process;
  const size = () => ({ columns: clamp(stdout.columns, 80), rows: clamp(stdout.rows, 24) });
  const safe = withoutStrings();
  if (stdin.isTTY) process.stderr.write('The log-in runs on the host. Ctrl+] ends it.\r\n');
  const login = await host.logins.begin(provider, size(), { onOutput: (data) => stdout.write(safe(data)) });
  // The program may have ended in the meantime: its end says so.
  const ignore = () => undefined;
  const type = (data: Buffer) => {
    const text = data.toString('utf8');
    if (text.includes(LEAVE)) login.end().catch(ignore);
    else login.type(text).catch(ignore);
  };
  const resize = () => void login.resize(size()).catch(ignore);
  if (stdin.isTTY) stdin.setRawMode(true);
  stdin.on('data', type);
  stdout.on('resize', resize);
  try {
    const { isLoggedIn, message } = await login.ended;
    if (!isLoggedIn) throw new CommandError(EXIT.failed, message, 'Run the same command again.');
    return message;
  } finally {
    stdin.off('data', type);
    stdout.off('resize', resize);
    if (stdin.isTTY) stdin.setRawMode(false);
    stdin.pause();
  }
}

function clamp(value: number | undefined, otherwise: number): number {
  return Math.min(500, Math.max(1, value || otherwise));
}
