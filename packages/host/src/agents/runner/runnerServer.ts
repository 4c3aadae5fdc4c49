import { timingSafeEqual } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { encodeFrame, type Frame, FrameReader, MAX_FRAME_BYTES } from './frames.js';
import { Program } from './program.js';
import {
  PROGRAM_ID,
  type ProgramInfo,
  RUNNER_VERSION,
  type RunnerEvent,
  type RunnerOrder,
  type RunnerRequest,
  type StreamName,
  WINDOW_BYTES,
} from './runnerProtocol.js';

export interface RunnerServerOptions {
  /** Of the runner: the folders of the programs are in it. */
  readonly folder: string;
  readonly secret: string;
  readonly instance: string;
  /** The value of the mark of all its programs, up to the program's own id. */
  readonly mark: string;
  readonly leaseMs: number;
  readonly journalBytes?: number;
  /** No host came back in time, or one wants it to end. */
  onEnd(why: 'lease' | 'stop'): void;
}

const HELLO_MS = 5_000;
/** Connections that have not said the secret yet. */
const MAX_STRANGERS = 8;
/** Programs that are kept, also those that have ended: their output may not be stored yet. */
const MAX_PROGRAMS = 1_000;
const STREAMS: readonly StreamName[] = ['out', 'err'];

/** What the connected host reads of a program. */
interface Reading {
  readonly sent: Record<StreamName, number>;
  readonly took: Record<StreamName, number>;
  hasExit: boolean;
}

/** Takes one host at a time: the newest that knows the secret. The lock of the state root says that there is only one. */
export class RunnerServer {
  readonly #options: RunnerServerOptions;
  readonly #server: Server;
  readonly #programs = new Map<string, Program>();
  readonly #strangers = new Set<Socket>();
  #host: Socket | undefined;
  #readings = new Map<string, Reading>();
  #lease: NodeJS.Timeout | undefined;

  constructor(options: RunnerServerOptions) {
    this.#options = options;
    this.#server = createServer((socket) => this.#connected(socket));
  }

  /** Resolves when hosts can connect. The socket's folder must be private. */
  async listen(path: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(path, resolve);
    });
    this.#hostLeft();
  }

  get programs(): readonly ProgramInfo[] {
    return [...this.#programs.values()].map(({ info }) => info);
  }

  close(): void {
    clearTimeout(this.#lease);
    this.#server.close();
    for (const socket of [...this.#strangers, ...(this.#host ? [this.#host] : [])]) socket.destroy();
    for (const program of this.#programs.values()) program.forget();
  }

  #hostLeft(): void {
    clearTimeout(this.#lease);
    this.#lease = setTimeout(() => this.#options.onEnd('lease'), this.#options.leaseMs);
  }

  #connected(socket: Socket): void {
    if (this.#strangers.size >= MAX_STRANGERS) {
      socket.destroy();
      return;
    }
    this.#strangers.add(socket);
    const patience = setTimeout(() => socket.destroy(), HELLO_MS);
    const reader = new FrameReader();
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(patience);
      this.#strangers.delete(socket);
      if (this.#host !== socket) return;
      this.#host = undefined;
      this.#readings.clear();
      this.#hostLeft();
    });
    socket.on('drain', () => this.#sendAll());
    socket.on('data', (bytes) => {
      try {
        for (const frame of reader.push(bytes)) {
          if (this.#host === socket) this.#take(socket, frame);
          else if (this.#strangers.has(socket)) this.#greet(socket, frame, patience);
        }
      } catch {
        // Not one of ours, or a host that is broken.
        socket.destroy();
      }
    });
  }

  #greet(socket: Socket, { head }: Frame, patience: NodeJS.Timeout): void {
    if (head['type'] !== 'hello' || !isSame(head['secret'], this.#options.secret)) {
      socket.destroy();
      return;
    }
    clearTimeout(patience);
    clearTimeout(this.#lease);
    this.#strangers.delete(socket);
    const before = this.#host;
    this.#host = socket;
    this.#readings = new Map();
    before?.destroy();
    const { instance } = this.#options;
    socket.write(encodeFrame({ type: 'welcome', version: RUNNER_VERSION, instance, programs: this.programs }));
  }

  #take(socket: Socket, { head, bytes }: Frame): void {
    const { ref } = head;
    if (typeof ref !== 'number') {
      this.#order(head as unknown as RunnerOrder, bytes);
      return;
    }
    const answer = (outcome: object) => {
      if (this.#host === socket) socket.write(encodeFrame({ ref, ...outcome }));
    };
    this.#request(head as unknown as RunnerRequest).then(
      (result) => answer({ type: 'done', ...result }),
      (error: unknown) => answer({ type: 'failed', message: error instanceof Error ? error.message : String(error) }),
    );
  }

  async #request(request: RunnerRequest): Promise<object> {
    switch (request.type) {
      case 'reserve':
        return this.#reserve(request);
      case 'start': {
        const program = this.#programs.get(request.id);
        if (!program) throw new Error('The program is not reserved.');
        program.start(request.spec, request.note);
        return { program: program.info };
      }
      case 'end': {
        const program = this.#programs.get(request.id);
        await program?.end();
        if (this.#programs.get(request.id) === program) this.#drop(request.id);
        return {};
      }
      case 'stop':
        this.#options.onEnd('stop');
        return {};
      default:
        throw new Error('The runner does not know this request: it is older than the host.');
    }
  }

  /** A program of this id that has ended, or was never started, makes room. */
  #reserve({ id, note }: Extract<RunnerRequest, { type: 'reserve' }>): object {
    if (typeof id !== 'string' || !PROGRAM_ID.test(id)) throw new Error('The id of a program has other characters.');
    const before = this.#programs.get(id);
    if (before?.info.state === 'running') throw new Error('A program of this id runs already.');
    before?.forget();
    this.#drop(id);
    if (this.#programs.size >= MAX_PROGRAMS) this.#makeRoom();
    const { folder, mark, journalBytes } = this.#options;
    const program = new Program({
      id,
      note,
      folder: join(folder, 'programs', id),
      mark: `${mark}${id}.`,
      ...(journalBytes !== undefined && { journalBytes }),
      onChange: () => this.#send(id, program),
      onTyped: (count) => this.#tell({ type: 'typed', id, bytes: count }),
    });
    this.#programs.set(id, program);
    return { program: program.info };
  }

  #drop(id: string): void {
    this.#programs.delete(id);
    this.#readings.delete(id);
  }

  #makeRoom(): void {
    const ended = [...this.#programs].find(([, { info }]) => info.state !== 'running');
    if (!ended) throw new Error(`The runner has ${MAX_PROGRAMS} programs, and takes no more. End some of them.`);
    ended[1].forget();
    this.#drop(ended[0]);
  }

  #order(order: RunnerOrder, bytes: Buffer): void {
    const program = this.#programs.get(order.id);
    if (!program) {
      if (order.type === 'read') this.#tell({ type: 'gone', id: order.id });
      return;
    }
    switch (order.type) {
      case 'read': {
        const { out, err } = order.from;
        if (!STREAMS.every((name) => program.journal(name).has(order.from[name]))) {
          this.#tell({ type: 'gone', id: order.id });
          return;
        }
        this.#readings.set(order.id, { sent: { out, err }, took: { out, err }, hasExit: false });
        this.#send(order.id, program);
        return;
      }
      case 'took': {
        const reading = this.#readings.get(order.id);
        if (!reading) return;
        reading.took[order.stream] = Math.max(
          reading.took[order.stream],
          Math.min(order.at, reading.sent[order.stream]),
        );
        this.#send(order.id, program);
        return;
      }
      case 'stored':
        program.stored(order.stream, order.at);
        return;
      case 'write':
        program.write(bytes);
        return;
      case 'closeInput':
        program.closeInput();
        return;
      case 'dropInput':
        program.dropInput();
        return;
      case 'signal':
        program.signal(order.signal as NodeJS.Signals);
        return;
    }
  }

  #sendAll(): void {
    for (const [id, program] of this.#programs) this.#send(id, program);
  }

  /** Sends what there is room for: a host that does not read is not waited for here, but by the program. */
  #send(id: string, program: Program): void {
    const reading = this.#readings.get(id);
    if (!reading || this.#programs.get(id) !== program) return;
    for (const stream of STREAMS) {
      const journal = program.journal(stream);
      while (this.#host && !this.#host.writableNeedDrain) {
        const at = reading.sent[stream];
        const room = Math.min(WINDOW_BYTES - (at - reading.took[stream]), MAX_FRAME_BYTES);
        if (room <= 0 || at >= journal.end) break;
        const bytes = journal.read(at, room);
        if (bytes.length === 0) break;
        reading.sent[stream] += bytes.length;
        this.#tell({ type: 'bytes', id, stream, at }, bytes);
      }
    }
    const { exit } = program;
    if (!exit || reading.hasExit || STREAMS.some((name) => reading.sent[name] < program.journal(name).end)) return;
    reading.hasExit = true;
    this.#tell({ type: 'exit', id, ...exit });
  }

  #tell(event: RunnerEvent, bytes?: Buffer): void {
    this.#host?.write(encodeFrame(event, bytes));
  }
}

function isSame(given: unknown, secret: string): boolean {
  const [one, other] = [Buffer.from(String(given)), Buffer.from(secret)];
  return one.length === other.length && timingSafeEqual(one, other);
}
