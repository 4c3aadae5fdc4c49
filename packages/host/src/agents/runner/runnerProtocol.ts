/**
 * What the host and the runner say to each other. The runner isn't replaced in an upgrade: a newer host speaks to an older one. `hello`,
 * `welcome` and `stop` are the same in every version.
 */
export const RUNNER_VERSION = 1;

/** How many bytes of a stream are on their way to a host that has not taken them. */
export const WINDOW_BYTES = 256 * 1024;
/** How many bytes of a program's output wait until they are stored. Then the program waits. */
export const JOURNAL_BYTES = 16 * 1024 * 1024;

export type StreamName = 'out' | 'err';

/** A program to run. Its environment gets one more variable, the mark of the runner. */
export interface ProgramSpec {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /**
   * Runs it in a pseudo terminal. What it prints is made valid UTF-8 before its bytes are counted, so that their number is that of the
   * text. Without it, there are pipes.
   */
  readonly pty?: { readonly name: string; readonly columns: number; readonly rows: number };
}

export interface ProgramExit {
  readonly exitCode: number;
  readonly signal?: number;
}

/** A program of the runner as the host sees it. */
export interface ProgramInfo {
  readonly id: string;
  readonly state: 'reserved' | 'running' | 'ended';
  /** What the host wrote down about it. The runner doesn't read it. */
  readonly note: Readonly<Record<string, unknown>>;
  /** A private folder, which goes with the program. */
  readonly folder: string;
  readonly pid?: number;
  /** The bytes before this one are stored by the host, and gone here. */
  readonly stored: Readonly<Record<StreamName, number>>;
  /** How many bytes were written to its input. */
  readonly typed: number;
}

export type RunnerRequest =
  | { readonly type: 'reserve'; readonly id: string; readonly note: ProgramInfo['note'] }
  | { readonly type: 'start'; readonly id: string; readonly note: ProgramInfo['note']; readonly spec: ProgramSpec }
  | { readonly type: 'end'; readonly id: string }
  | { readonly type: 'stop' };

export type RunnerOrder =
  /** Sends the bytes from these places on, and then the exit. */
  | { readonly type: 'read'; readonly id: string; readonly from: Readonly<Record<StreamName, number>> }
  /** The host has taken the bytes before this one: as many more may come. */
  | { readonly type: 'took'; readonly id: string; readonly stream: StreamName; readonly at: number }
  /** The host has stored what it made of the bytes before this one: they are not asked for again. */
  | { readonly type: 'stored'; readonly id: string; readonly stream: StreamName; readonly at: number }
  /** The bytes are typed, or written to the input. */
  | { readonly type: 'write'; readonly id: string }
  | { readonly type: 'closeInput'; readonly id: string }
  /** Forgets input that the program has not taken. */
  | { readonly type: 'dropInput'; readonly id: string }
  | { readonly type: 'signal'; readonly id: string; readonly signal: string };

export type RunnerEvent =
  | { readonly type: 'bytes'; readonly id: string; readonly stream: StreamName; readonly at: number }
  /** How many bytes of the input the program has taken, or were dropped, since it began. */
  | { readonly type: 'typed'; readonly id: string; readonly bytes: number }
  | ({ readonly type: 'exit'; readonly id: string } & ProgramExit)
  /** What the host wants to read is not there. */
  | { readonly type: 'gone'; readonly id: string };

/** Where a runner is reached, in `runner/runner.json` of the state root. */
export interface RunnerRecord {
  readonly version: number;
  readonly pid: number;
  readonly instance: string;
  readonly socket: string;
  readonly secret: string;
}

export const RECORD_FILE = 'runner.json';
/** Why an earlier runner ended its programs while no host was there: their ids. */
export const ENDED_FILE = 'ended.json';
/** In the environment of all programs of runners. The value begins with that of the state root. */
export const RUNNER_MARK = 'AGENTHOST_RUN_BY';
/** Ids are names of folders, and part of the mark. */
export const PROGRAM_ID = /^[a-z0-9]{8,64}$/;
