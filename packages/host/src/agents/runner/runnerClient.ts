import { connect, type Socket } from 'node:net';
import { encodeFrame, type Frame, FrameReader } from './frames.js';
import {
  type ProgramExit,
  type ProgramInfo,
  RUNNER_VERSION,
  type RunnerEvent,
  type RunnerOrder,
  type RunnerRecord,
  type RunnerRequest,
  type StreamName,
} from './runnerProtocol.js';

/** What the host hears of a program that it reads. */
export interface ProgramListener {
  onBytes(stream: StreamName, bytes: Buffer, at: number): void;
  onTyped(bytes: number): void;
  onExit(exit: ProgramExit): void;
  /** The runner has ended, or doesn't have the program or those bytes. */
  onLost(): void;
}

interface Waiting {
  resolve(result: Readonly<Record<string, unknown>>): void;
  reject(error: Error): void;
}

const CONNECT_MS = 5_000;
const GONE = 'The runner has ended, and the programs of agents with it.';

/** A connection to a runner. */
export class RunnerClient {
  /** The programs that it had when this connection began. */
  readonly found: readonly ProgramInfo[];
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<string, ProgramListener>();
  #refs = 0;
  #isClosed = false;

  /** Rejects when there is no runner, or one that this host doesn't understand. */
  static async connect(record: RunnerRecord): Promise<RunnerClient> {
    const socket = connect(record.socket);
    const reader = new FrameReader();
    const { promise, resolve, reject } = Promise.withResolvers<Frame['head']>();
    const patience = setTimeout(() => reject(new Error('the runner does not answer')), CONNECT_MS);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the runner refuses this host')));
    let client: RunnerClient | undefined;
    const early: Frame[] = [];
    socket.on('data', (bytes) => {
      try {
        for (const frame of reader.push(bytes)) {
          if (client) client.#take(frame);
          else if (frame.head['type'] === 'welcome') resolve(frame.head);
          else early.push(frame);
        }
      } catch (error) {
        socket.destroy(error as Error);
      }
    });
    socket.write(encodeFrame({ type: 'hello', version: RUNNER_VERSION, secret: record.secret }));
    try {
      const { version, programs } = await promise;
      if (version !== RUNNER_VERSION) throw new Error(`the runner is of version ${String(version)}`);
      client = new RunnerClient(socket, programs as readonly ProgramInfo[]);
      for (const frame of early) client.#take(frame);
      return client;
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      clearTimeout(patience);
    }
  }

  private constructor(socket: Socket, found: readonly ProgramInfo[]) {
    this.#socket = socket;
    this.found = found;
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.#lost();
        resolve();
      });
    });
    if (socket.destroyed) this.#lost();
  }

  get isOpen(): boolean {
    return !this.#isClosed;
  }

  /** Rejects with the runner's reason. */
  async request(request: RunnerRequest): Promise<Readonly<Record<string, unknown>>> {
    if (this.#isClosed) throw new Error(GONE);
    const ref = ++this.#refs;
    const frame = encodeFrame({ ...request, ref });
    return new Promise((resolve, reject) => {
      this.#waiting.set(ref, { resolve, reject });
      this.#socket.write(frame);
    });
  }

  async requestProgram(request: RunnerRequest): Promise<ProgramInfo> {
    const { program } = await this.request(request);
    return program as ProgramInfo;
  }

  order(order: RunnerOrder, bytes?: Uint8Array): void {
    if (!this.#isClosed) this.#socket.write(encodeFrame(order, bytes));
  }

  /** Hears of a program from these places on. */
  read(id: string, from: Readonly<Record<StreamName, number>>, listener: ProgramListener): void {
    if (this.#isClosed) {
      listener.onLost();
      return;
    }
    this.#listeners.set(id, listener);
    this.order({ type: 'read', id, from });
  }

  unread(id: string): void {
    this.#listeners.delete(id);
  }

  /** The runner and its programs go on. */
  close(): void {
    this.#socket.destroy();
    this.#lost();
  }

  #take({ head, bytes }: Frame): void {
    const { ref } = head;
    if (typeof ref === 'number') {
      const waiting = this.#waiting.get(ref);
      this.#waiting.delete(ref);
      if (head['type'] === 'done') waiting?.resolve(head);
      else waiting?.reject(new Error(String(head['message'])));
      return;
    }
    const event = head as unknown as RunnerEvent;
    const listener = this.#listeners.get(event.id);
    if (event.type === 'bytes') listener?.onBytes(event.stream, bytes, event.at);
    else if (event.type === 'typed') listener?.onTyped(event.bytes);
    else if (event.type === 'exit') listener?.onExit(event);
    else if (event.type === 'gone') listener?.onLost();
  }

  #lost(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const { reject } of this.#waiting.values()) reject(new Error(GONE));
    this.#waiting.clear();
    const listeners = [...this.#listeners.values()];
    this.#listeners.clear();
    for (const listener of listeners) listener.onLost();
  }
}
