import { type AttachedTerminal, CommandFailedError, type SessionHandle } from '@agenthost/client';
import type { SharedTerminal } from '@agenthost/protocol';
import { EXIT } from '../commandError.js';
import { withoutStrings } from '../login/withoutStrings.js';
import { safeLine } from '../text/safeText.js';

const LEAVE = '\u001d';
const TAKE = '\u0014';
const ESC = '\u001b';
const RESET = `${ESC}c`;
/** A soft reset and an empty screen: a full one would also empty what the user's terminal has kept. */
const EMPTY = `${ESC}[!p${ESC}[?1049l${ESC}[0m${ESC}[2J${ESC}[H`;
/** What a program may have set, and a shell does not expect. */
const SANE = `${ESC}[!p${ESC}[?1049l${ESC}[?25h${ESC}[?2004l${ESC}[?1000l${ESC}[?1002l${ESC}[?1003l${ESC}[?1006l${ESC}[?1004l${ESC}>${ESC}[0m`;

/** Shows a terminal of a session in this one, until it ends or the user leaves it. */
export async function showTerminal(
  session: SessionHandle,
  ownId: string,
  found: SharedTerminal | undefined,
): Promise<number> {
  const { stdin, stdout } = process;
  const size = () => ({ columns: clamp(stdout.columns, 80), rows: clamp(stdout.rows, 24) });
  const safe = withoutStrings();
  const print = (data: string) => new Promise<void>((resolve) => void stdout.write(safe(data), () => resolve()));
  const listener = {
    onScreen: (screen: string) =>
      void stdout.write(`${EMPTY}${safe(screen.startsWith(RESET) ? screen.slice(RESET.length) : screen)}`),
    onOutput: print,
  };
  const { terminals } = session;
  const terminal = found ? await terminals.attach(found.terminal, listener) : await terminals.create(size(), listener);
  const left = Promise.withResolvers<string>();
  /** On the last line, without moving the cursor. */
  const note = (text: string) =>
    void stdout.write(`${ESC}7${ESC}[${size().rows};1H${ESC}[7m ${text} ${ESC}[0m${ESC}[K${ESC}8`);
  const refused = () => {
    const by = terminal.info.value?.keyboard.by;
    note(`${safeLine(by?.name ?? 'Somebody')} is typing. Ctrl+T takes the keyboard, Ctrl+] leaves.`);
  };
  const failed = (error: unknown) => {
    if (error instanceof CommandFailedError) note(`${safeLine(error.message)} Ctrl+] leaves.`);
  };
  const type = (data: string) =>
    void terminal.type(data).then((isTyped) => {
      if (!isTyped && isElsewhere(terminal, ownId)) refused();
    }, failed);
  const read = (data: Buffer) => {
    const text = data.toString('utf8');
    if (text.includes(LEAVE)) left.resolve('You have left the terminal. It goes on.');
    else if (text === TAKE && isElsewhere(terminal, ownId)) void terminal.takeKeyboard().catch(failed);
    else type(text);
  };
  const resize = () => void terminal.resize(size()).catch(() => undefined);
  const following = terminal.info.subscribe((info) => {
    if (info === undefined) left.resolve('The terminal was closed.');
    else if (info.exitCode !== undefined) left.resolve(`The shell has ended with exit code ${info.exitCode}.`);
  });
  stdin.setRawMode(true);
  stdin.on('data', read);
  stdout.on('resize', resize);
  resize();
  try {
    const message = await left.promise;
    stdout.write(`${SANE}\r\n`);
    process.stderr.write(`${message}\r\n`);
    return EXIT.ok;
  } finally {
    following.dispose();
    stdin.off('data', read);
    stdout.off('resize', resize);
    stdin.setRawMode(false);
    stdin.pause();
    terminal.detach();
    session.dispose();
  }
}

function isElsewhere({ info }: AttachedTerminal, ownId: string): boolean {
  const keyboard = info.value?.keyboard;
  return keyboard?.isTyping === true && keyboard.by.clientId !== ownId;
}

function clamp(value: number | undefined, otherwise: number): number {
  return Math.min(500, Math.max(1, value || otherwise));
}
