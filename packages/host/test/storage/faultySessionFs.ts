import type { SessionFs, SessionFsEntry, SessionFsStat } from '../../src/storage/fs/sessionFs.js';
import { SessionFsFailure } from '../../src/storage/fs/sessionFs.js';

export interface Fault {
  readonly code: string;
  /** For `writeFile` and `appendFile`: how much of the content, from 0 to 1, is written all the same. */
  readonly written?: number;
}

type Operation = Exclude<
  keyof SessionFs,
  'conventions' | 'sessionStatePath' | 'tmpdir' | 'initialCwd' | 'join' | 'lockKey'
>;

export interface Call {
  readonly operation: Operation;
  readonly path: string;
}

/** A SessionFs whose operations fail when `faultAt` says so; also counts them, and forces nothing to disk. */
export class FaultySessionFs implements SessionFs {
  readonly calls: Call[] = [];
  readonly #inner: SessionFs;
  faultAt: (index: number, call: Call) => Fault | undefined;
  /** Awaited before every operation. */
  before: (call: Call) => Promise<void> = async () => undefined;

  constructor(inner: SessionFs, faultAt: (index: number, call: Call) => Fault | undefined = () => undefined) {
    this.#inner = inner;
    this.faultAt = faultAt;
  }

  get conventions() {
    return this.#inner.conventions;
  }
  get sessionStatePath() {
    return this.#inner.sessionStatePath;
  }
  get tmpdir() {
    return this.#inner.tmpdir;
  }

  get isUncertain(): boolean {
    return this.#inner.isUncertain ?? false;
  }

  count(operation: Operation, name = ''): number {
    return this.calls.filter((call) => call.operation === operation && call.path.endsWith(name)).length;
  }

  initialCwd = () => this.#inner.initialCwd();
  join = (...parts: string[]) => this.#inner.join(...parts);
  lockKey = (path: string) => this.#inner.lockKey(path);

  readFile = (path: string): Promise<string> => this.#run('readFile', path, () => this.#inner.readFile(path));
  readFileBytes = (path: string): Promise<Uint8Array> =>
    this.#run('readFileBytes', path, () => this.#inner.readFileBytes(path));
  writeFile = (path: string, content: string | Uint8Array): Promise<void> =>
    this.#run('writeFile', path, (share) => this.#inner.writeFile(path, cut(content, share)));
  appendFile = (path: string, content: string | Uint8Array): Promise<void> =>
    this.#run('appendFile', path, (share) => this.#inner.appendFile(path, cut(content, share)));
  exists = (path: string): Promise<boolean> => this.#run('exists', path, () => this.#inner.exists(path));
  stat = (path: string): Promise<SessionFsStat> => this.#run('stat', path, () => this.#inner.stat(path));
  mkdir = (path: string, options?: { recursive?: boolean }): Promise<void> =>
    this.#run('mkdir', path, () => this.#inner.mkdir(path, options));
  readdir = (path: string): Promise<string[]> => this.#run('readdir', path, () => this.#inner.readdir(path));
  readdirWithTypes = (path: string): Promise<SessionFsEntry[]> =>
    this.#run('readdirWithTypes', path, () => this.#inner.readdirWithTypes(path));
  rm = (path: string, options?: { recursive?: boolean; force?: boolean }): Promise<void> =>
    this.#run('rm', path, () => this.#inner.rm(path, options));
  rename = (source: string, target: string): Promise<void> =>
    this.#run('rename', source, () => this.#inner.rename(source, target));
  sync = (path: string): Promise<void> => this.#run('sync', path, async () => undefined);
  dispose = (): Promise<void> => this.#inner.dispose();

  async *readLines(path: string, fromByte?: number): AsyncGenerator<string> {
    await this.#run('readLines', path, async () => undefined);
    yield* this.#inner.readLines(path, fromByte);
  }

  async #run<T>(operation: Operation, path: string, work: (share: number) => Promise<T>): Promise<T> {
    const call = { operation, path };
    this.calls.push(call);
    const fault = this.faultAt(this.calls.length, call);
    await this.before(call);
    if (!fault) return work(1);
    if (fault.written && (operation === 'writeFile' || operation === 'appendFile')) await work(fault.written);
    // A rename or a sync may have happened although its answer was lost.
    if (fault.written === 1 && operation === 'rename') await work(1);
    throw new SessionFsFailure(fault.code, `${fault.code}: injected into ${operation} of ${path}`);
  }
}

function cut(content: string | Uint8Array, share: number): Uint8Array {
  const bytes = Buffer.from(content);
  return bytes.subarray(0, Math.floor(bytes.length * share));
}
