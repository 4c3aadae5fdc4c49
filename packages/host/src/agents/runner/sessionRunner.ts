import type { RunnerClient } from './runnerClient.js';
import { type ProgramExit, type ProgramInfo, type ProgramSpec, WINDOW_BYTES } from './runnerProtocol.js';

export interface SessionRunnerOptions {
  readonly id: string;
  readonly open: () => Promise<RunnerClient>;
  /** The runner, if there is one. */
  readonly current: () => Promise<RunnerClient> | undefined;
  /** What an earlier host has left of this session. */
  readonly left: () => ProgramInfo | undefined;
  /** Whether the runner was there when the host started. */
  readonly hasBeenThere: () => boolean;
  readonly claim: () => void;
  readonly leaseMs: number;
  readonly isEndedByLease: boolean;
}

/** A program that is read, in a pseudo terminal. */
export interface FollowedProgram {
  readonly pid: number;
  /** Rejects when the runner is gone. */
  readonly exited: Promise<ProgramExit>;
  /** Bytes that were typed and that the program has not taken. */
  readonly untyped: number;
  readonly isGone: boolean;
  type(bytes: Uint8Array): void;
  dropTyped(): void;
  /** While it is paused no bytes are passed on, and the program waits when enough are on their way. */
  pause(): void;
  resume(): void;
  /** What was made of the bytes before this one is stored. */
  stored(at: number): void;
}

/** The variables by which a host ends its own agents: these programs go on without it. */
const HOST_MARKS = ['AGENTHOST_AGENT_OF'];

/** Runs the programs of one session, one at a time, so that they go on when the host ends. */
export class SessionRunner {
  readonly #options: SessionRunnerOptions;

  constructor(options: SessionRunnerOptions) {
    this.#options = options;
  }

  /** The session goes on with what is left: nobody else ends it. */
  claim(): void {
    this.#options.claim();
  }

  /** What an earlier host has left. */
  get left(): ProgramInfo | undefined {
    return this.#options.left();
  }

  /** Whether the host found the runner of an earlier one: then what is not left there never began. */
  get hasBeenThere(): boolean {
    return this.#options.hasBeenThere();
  }

  /** Why there is nothing left. */
  get whyNothing(): string | undefined {
    const minutes = Math.round(this.#options.leaseMs / 60_000);
    return this.#options.isEndedByLease
      ? `The host was away for more than ${minutes} minutes, so the agent was ended. Send a message to go on.`
      : undefined;
  }

  /** Makes room for a program, before anything says that it runs. One that has ended is forgotten. */
  async reserve(note: ProgramInfo['note']): Promise<ProgramInfo> {
    const client = await this.#options.open();
    return client.requestProgram({ type: 'reserve', id: this.#options.id, note });
  }

  /** Starts the reserved program. */
  async start(spec: ProgramSpec, note: ProgramInfo['note']): Promise<ProgramInfo> {
    const client = await this.#options.open();
    const env = Object.fromEntries(Object.entries(spec.env).filter(([name]) => !HOST_MARKS.includes(name)));
    return client.requestProgram({ type: 'start', id: this.#options.id, note, spec: { ...spec, env } });
  }

  /** Reads what the program has printed from this byte on. */
  async follow(program: ProgramInfo, from: number, onBytes: (bytes: Buffer) => void): Promise<FollowedProgram> {
    const client = await this.#options.open();
    return new Followed(client, program, from, onBytes);
  }

  /** Ends the program, with what it left in the background, and forgets it. */
  async end(): Promise<void> {
    const client = await this.#options.current();
    await client?.request({ type: 'end', id: this.#options.id });
  }
}

class Followed implements FollowedProgram {
  readonly pid: number;
  readonly exited: Promise<ProgramExit>;
  readonly #client: RunnerClient;
  readonly #id: string;
  readonly #onBytes: (bytes: Buffer) => void;
  /** What came while it was paused: at most a window, and then the exit. */
  #waiting: Buffer[] = [];
  #passed: number;
  #took: number;
  #exit: ProgramExit | undefined;
  #isPaused = false;
  #isLost = false;
  #sent: number;
  #typed: number;
  readonly #ended = Promise.withResolvers<ProgramExit>();

  constructor(
    client: RunnerClient,
    { id, pid = 0, typed }: ProgramInfo,
    from: number,
    onBytes: (bytes: Buffer) => void,
  ) {
    this.#client = client;
    this.#id = id;
    this.pid = pid;
    this.#passed = from;
    this.#took = from;
    this.#sent = typed;
    this.#typed = typed;
    this.#onBytes = onBytes;
    this.exited = this.#ended.promise;
    this.exited.catch(() => {});
    client.read(
      id,
      { out: from, err: 0 },
      {
        onBytes: (stream, bytes) => {
          if (stream === 'out') this.#waiting.push(bytes);
          this.#pass();
        },
        onTyped: (bytes) => {
          this.#typed = bytes;
        },
        onExit: (exit) => {
          this.#exit = exit;
          this.#pass();
        },
        onLost: () => {
          this.#isLost = true;
          this.#ended.reject(new Error('The runner does not have this command any more: it has ended.'));
        },
      },
    );
  }

  get untyped(): number {
    return Math.max(this.#sent - this.#typed, 0);
  }

  get isGone(): boolean {
    return this.#isLost || this.#exit !== undefined;
  }

  type(bytes: Uint8Array): void {
    this.#sent += bytes.length;
    this.#client.order({ type: 'write', id: this.#id }, bytes);
  }

  dropTyped(): void {
    this.#client.order({ type: 'dropInput', id: this.#id });
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#pass();
  }

  stored(at: number): void {
    this.#client.order({ type: 'stored', id: this.#id, stream: 'out', at });
  }

  #pass(): void {
    while (!this.#isPaused && this.#waiting.length > 0) {
      const bytes = this.#waiting.shift() as Buffer;
      this.#passed += bytes.length;
      this.#onBytes(bytes);
    }
    if (this.#passed - this.#took >= WINDOW_BYTES / 4) {
      this.#took = this.#passed;
      this.#client.order({ type: 'took', id: this.#id, stream: 'out', at: this.#passed });
    }
    if (this.#exit && this.#waiting.length === 0) this.#ended.resolve(this.#exit);
  }
}
