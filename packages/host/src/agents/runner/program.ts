import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type * as pty from '@lydell/node-pty';
import { findProcesses } from '../../processes/processList.js';
import { isRunning } from '../../processes/processStat.js';
import { DISPOSE_STAGES, stopProcesses } from '../../processes/stopProcesses.js';
import { keepTail } from '../../processes/terminalTail.js';
import { TerminalWriter } from '../../processes/terminalWriter.js';
import { Journal } from './journal.js';
import {
  JOURNAL_BYTES,
  type ProgramExit,
  type ProgramInfo,
  type ProgramSpec,
  RUNNER_MARK,
  type StreamName,
} from './runnerProtocol.js';

export interface ProgramOptions {
  readonly id: string;
  readonly note: ProgramInfo['note'];
  readonly folder: string;
  /** The value of the mark of this program alone. */
  readonly mark: string;
  readonly journalBytes?: number;
  /** There are more bytes, or it has ended. */
  onChange(): void;
  /** The program has taken so many bytes of its input since it began. */
  onTyped(bytes: number): void;
}

interface Source {
  pause(): void;
  resume(): void;
}

const LOOK_MS = 20;
/** Input that waits because the program doesn't read it. Hosts send less. */
const MAX_INPUT_BYTES = 1024 * 1024;

/** Loaded with the first terminal. */
const loadPty = () => createRequire(import.meta.url)('@lydell/node-pty') as typeof pty;

/** One program of the runner and what it has printed. It is reserved before it is started: a host that was killed in between knows. */
export class Program {
  readonly #options: ProgramOptions;
  readonly #journals: Record<StreamName, Journal>;
  readonly #keyboard = new TerminalWriter();
  #note: ProgramInfo['note'];
  #pid: number | undefined;
  #child: ChildProcess | undefined;
  #exit: ProgramExit | undefined;
  #source: Source | undefined;
  #isPaused = false;
  #written = 0;
  #looking: NodeJS.Timeout | undefined;
  #isEnded = false;

  constructor(options: ProgramOptions) {
    this.#options = options;
    this.#note = options.note;
    const journal = (name: StreamName) =>
      new Journal({ path: join(options.folder, name), maxBytes: options.journalBytes ?? JOURNAL_BYTES });
    this.#journals = { out: journal('out'), err: journal('err') };
    rmSync(options.folder, { recursive: true, force: true });
    mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  }

  get info(): ProgramInfo {
    const { out, err } = this.#journals;
    const state = this.#exit ? 'ended' : this.#pid === undefined ? 'reserved' : 'running';
    const { id, folder } = this.#options;
    const stored = { out: out.released, err: err.released };
    const typed = this.#written;
    return { id, state, note: this.#note, folder, stored, typed, ...(this.#pid !== undefined && { pid: this.#pid }) };
  }

  /** Set when it has ended and all that it has printed is in the journals. */
  get exit(): ProgramExit | undefined {
    return this.#exit;
  }

  journal(stream: StreamName): Journal {
    return this.#journals[stream];
  }

  /** Throws when it can't be started. */
  start(spec: ProgramSpec, note: ProgramInfo['note']): void {
    if (this.#pid !== undefined || this.#isEnded) throw new Error('The program was started already.');
    const env = { ...spec.env, [RUNNER_MARK]: this.#options.mark };
    if (spec.pty) this.#startInTerminal(spec, env, spec.pty);
    else this.#startWithPipes(spec, env);
    this.#note = note;
  }

  write(bytes: Buffer): void {
    if (this.#child) {
      const { stdin } = this.#child;
      if (!stdin?.writable || stdin.writableLength > MAX_INPUT_BYTES) return;
      this.#written += bytes.length;
      stdin.write(bytes, () => this.#options.onTyped(this.#written - stdin.writableLength));
      return;
    }
    if (this.#keyboard.waitingBytes > MAX_INPUT_BYTES) return;
    this.#written += bytes.length;
    this.#keyboard.write(bytes);
    this.#lookAtKeyboard();
  }

  closeInput(): void {
    this.#child?.stdin?.end();
  }

  dropInput(): void {
    this.#keyboard.drop();
    this.#lookAtKeyboard();
  }

  /** To the program and its process group. */
  signal(signal: NodeJS.Signals): void {
    if (this.#pid === undefined || this.#exit || !isRunning(this.#pid)) return;
    try {
      process.kill(-this.#pid, signal);
    } catch {
      // It ended meanwhile.
    }
  }

  /** The host has stored what it made of these bytes. */
  stored(stream: StreamName, at: number): void {
    this.#journals[stream].release(at);
    this.#pauseOrResume();
  }

  /** Ends it with everything that it has started, and forgets what it printed. */
  async end(): Promise<void> {
    this.#isEnded = true;
    clearInterval(this.#looking);
    const sid = this.#exit === undefined ? this.#pid : undefined;
    const query = { marker: `${RUNNER_MARK}=${this.#options.mark}`, ...(sid !== undefined && { sid }) };
    if (this.#pid !== undefined) await stopProcesses(() => findProcesses(query), DISPOSE_STAGES);
    this.forget();
  }

  /** Forgets what it printed. What it has left in the background goes on. */
  forget(): void {
    this.#isEnded = true;
    clearInterval(this.#looking);
    this.#keyboard.end();
    for (const journal of Object.values(this.#journals)) journal.close();
    rmSync(this.#options.folder, { recursive: true, force: true });
  }

  #startInTerminal(
    { file, args, cwd }: ProgramSpec,
    env: Record<string, string>,
    size: NonNullable<ProgramSpec['pty']>,
  ) {
    const { name, columns: cols, rows } = size;
    const terminal = loadPty().spawn(file, [...args], { name, cols, rows, cwd, env, encoding: null });
    keepTail(terminal);
    this.#pid = terminal.pid;
    this.#source = terminal;
    this.#keyboard.attach(terminal);
    const text = new StringDecoder('utf8');
    terminal.onData((data) => this.#printed('out', Buffer.from(text.write(data as unknown as Buffer))));
    terminal.onExit(({ exitCode, signal }) => {
      this.#keyboard.end();
      this.#printed('out', Buffer.from(text.end()));
      this.#ended({ exitCode, ...(signal && { signal }) });
    });
  }

  #startWithPipes({ file, args, cwd }: ProgramSpec, env: Record<string, string>): void {
    const child = spawn(file, args, { cwd, env, stdio: 'pipe', detached: true });
    const { stdin, stdout, stderr } = child;
    stdin.on('error', () => {});
    child.on('error', (error) => {
      this.#printed('err', Buffer.from(`${error.message}\n`));
      if (child.pid === undefined) this.#ended({ exitCode: 127 });
    });
    this.#child = child;
    this.#pid = child.pid ?? 0;
    this.#source = {
      pause: () => {
        for (const stream of [stdout, stderr]) stream.pause();
      },
      resume: () => {
        for (const stream of [stdout, stderr]) stream.resume();
      },
    };
    stdout.on('data', (bytes: Buffer) => this.#printed('out', bytes));
    stderr.on('data', (bytes: Buffer) => this.#printed('err', bytes));
    child.on('close', (code, signal) => {
      if (child.pid === undefined) return;
      this.#ended({ exitCode: code ?? 0, ...(signal && { signal: constants.signals[signal] }) });
    });
  }

  #printed(stream: StreamName, bytes: Buffer): void {
    if (this.#isEnded || bytes.length === 0) return;
    this.#journals[stream].push(bytes);
    this.#pauseOrResume();
    this.#options.onChange();
  }

  #ended(exit: ProgramExit): void {
    this.#exit ??= exit;
    this.#options.onChange();
  }

  #pauseOrResume(): void {
    const { out, err } = this.#journals;
    const mustWait = out.isFull || err.isFull;
    if (mustWait === this.#isPaused || this.#exit) return;
    this.#isPaused = mustWait;
    if (mustWait) this.#source?.pause();
    else this.#source?.resume();
  }

  #lookAtKeyboard(): void {
    const tell = () => this.#options.onTyped(this.#written - this.#keyboard.waitingBytes);
    tell();
    if (this.#keyboard.waitingBytes === 0) return;
    this.#looking ??= setInterval(() => {
      tell();
      if (this.#keyboard.waitingBytes > 0) return;
      clearInterval(this.#looking);
      this.#looking = undefined;
    }, LOOK_MS);
  }
}
