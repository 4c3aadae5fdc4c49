import { writeSync } from 'node:fs';
import type { HostClient } from '@agenthost/client';
import { render } from 'ink';
import { CommandError, EXIT } from '../commandError.js';
import { AttachModel } from './attachModel.js';
import { Keys } from './keys.js';
import { App } from './ui/App.js';

/** Shows the cursor, turns off bracketed paste, and restores the screen. */
const RESTORE = '\u001b[?2004l\u001b[?25h\u001b[?1049l';

/** Runs the terminal UI until the user leaves. The terminal is restored however it ends. */
export async function runAttach(host: HostClient, uri: string | undefined): Promise<number> {
  const model = new AttachModel(host);
  let exitCode: number = EXIT.ok;
  let failure: unknown;
  const leave = (code: number, error?: unknown) => {
    exitCode = code;
    failure ??= error;
    instance.unmount();
  };
  const keys = new Keys(model, () => leave(EXIT.ok));
  const instance = render(<App model={model} keys={keys} />, {
    exitOnCtrlC: false,
    alternateScreen: true,
    incrementalRendering: true,
    patchConsole: false,
  });
  const backstop = () => {
    process.stdin.setRawMode?.(false);
    try {
      writeSync(1, RESTORE);
    } catch {
      // The terminal is gone: there is nothing to restore.
    }
  };
  process.on('exit', backstop);
  const handlers = [
    ['SIGTERM', () => leave(EXIT.terminated)],
    ['SIGINT', () => leave(EXIT.interrupted)],
    ['SIGHUP', () => process.exit(EXIT.hungUp)],
    ['uncaughtException', (error: unknown) => leave(EXIT.failed, error)],
    ['unhandledRejection', (error: unknown) => leave(EXIT.failed, error)],
  ] as const;
  for (const [event, handler] of handlers) process.on(event as 'SIGTERM', handler as () => void);
  const closed = host.connection.subscribe((connection) => {
    if (connection.state === 'closed') leave(EXIT.noHost, connection.reason);
  });
  if (uri !== undefined) model.open(uri);
  try {
    await instance.waitUntilExit();
  } catch (error) {
    failure ??= error;
  } finally {
    closed.dispose();
    model.dispose();
    process.off('exit', backstop);
    for (const [event, handler] of handlers) process.off(event, handler);
    process.stdin.unref();
  }
  if (failure instanceof CommandError || failure !== undefined) throw failure;
  return exitCode;
}
