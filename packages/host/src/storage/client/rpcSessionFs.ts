import { posix, win32 } from 'node:path';
import { isSessionId, type SessionFsError, type SessionFsOutcome } from '@agenthost/protocol/internal';
import { errorCode } from '../fs/errnoFailure.js';
import { ProviderFailure } from '../fs/providerFailure.js';
import type { SessionFs, SessionFsEntry, SessionFsStat } from '../fs/sessionFs.js';
import { SessionFsFailure } from '../fs/sessionFs.js';
import { splitLines } from '../fs/splitLines.js';
import { type ContentPiece, type ProviderContent, providerContent } from './providerContent.js';
import { type ProviderAbilities, ProviderProbe } from './providerProbe.js';
import type { SessionFsProvider } from './sessionFsProvider.js';

/** A session's files in the file system of a client: every method is a call to it. */
export class RpcSessionFs implements SessionFs {
  readonly conventions: 'posix' | 'windows';
  readonly sessionStatePath: string;
  readonly tmpdir: string;
  readonly isUncertain = true;
  readonly #provider: SessionFsProvider;
  readonly #probe: ProviderProbe;
  readonly #sessionId: string;
  readonly #path: typeof posix;
  #form: ProviderContent | undefined;

  /** `probe` is shared by all sessions of the provider. */
  constructor(provider: SessionFsProvider, sessionId: string, probe = new ProviderProbe(provider)) {
    if (!isSessionId(sessionId)) throw new SessionFsFailure('EINVAL', `not a session id: ${JSON.stringify(sessionId)}`);
    const { conventions, sessionStatePath } = provider.config;
    this.#provider = provider;
    this.#probe = probe;
    this.#sessionId = sessionId;
    this.conventions = conventions;
    this.#path = conventions === 'windows' ? win32 : posix;
    this.sessionStatePath = sessionStatePath;
    this.tmpdir = this.join(sessionStatePath, 'temp');
  }

  /** Known from the first read or write on. */
  get maxFileBytes(): number {
    return this.#form?.maxFileBytes ?? Number.POSITIVE_INFINITY;
  }

  initialCwd(): string {
    return this.#provider.config.initialCwd;
  }

  join(...parts: string[]): string {
    return this.#path.join(...parts);
  }

  /** With the session's id, because all sessions have the same paths there. */
  lockKey(path: string): string {
    return `${this.#sessionId}:${path}`;
  }

  async readFile(path: string): Promise<string> {
    const form = await this.#contentForm();
    return form.textOf(await this.#readStored(path));
  }

  async readFileBytes(path: string): Promise<Uint8Array> {
    const form = await this.#contentForm();
    return form.bytesOf(await this.#readStored(path, form.readParams));
  }

  async writeFile(path: string, content: string | Uint8Array): Promise<void> {
    const [first, ...rest] = (await this.#contentForm()).piecesOf(content);
    this.#throwIf(
      await this.#provider.call('sessionFs.writeFile', { ...this.#target(path), ...(first ?? NO_CONTENT) }),
      path,
    );
    for (const piece of rest) await this.#append(path, piece);
  }

  async appendFile(path: string, content: string | Uint8Array): Promise<void> {
    const pieces = (await this.#contentForm()).piecesOf(content);
    for (const piece of pieces.length > 0 ? pieces : [NO_CONTENT]) await this.#append(path, piece);
  }

  async exists(path: string): Promise<boolean> {
    return (await this.#provider.call('sessionFs.exists', this.#target(path))).exists;
  }

  async stat(path: string): Promise<SessionFsStat> {
    const abilities = await this.#abilities();
    const stat = await this.#provider.call('sessionFs.stat', this.#target(path));
    this.#throwIf(stat.error, path);
    const { isFile, isDirectory } = stat;
    const isCounted = !isFile || (abilities.takesBase64 && abilities.counts === 'bytes');
    const size = isCounted ? stat.size : await this.#count(path, stat.size, abilities);
    return { isFile, isDirectory, size, mtime: time(stat.mtime), birthtime: time(stat.birthtime) };
  }

  async mkdir(path: string, { recursive }: { readonly recursive?: boolean } = {}): Promise<void> {
    const params = { ...this.#target(path), ...(recursive !== undefined && { recursive }) };
    const error = await this.#provider.call('sessionFs.mkdir', params);
    if (!recursive || error?.code !== 'EEXIST') this.#throwIf(error, path);
  }

  async readdir(path: string): Promise<string[]> {
    const { entries, error } = await this.#provider.call('sessionFs.readdir', this.#target(path));
    this.#throwIf(error, path);
    return [...entries];
  }

  async readdirWithTypes(path: string): Promise<SessionFsEntry[]> {
    const { entries, error } = await this.#provider.call('sessionFs.readdirWithTypes', this.#target(path));
    this.#throwIf(error, path);
    return [...entries];
  }

  async rm(path: string, options: { readonly recursive?: boolean; readonly force?: boolean } = {}): Promise<void> {
    const error = await this.#provider.call('sessionFs.rm', { ...this.#target(path), ...options });
    if (!options.force || error?.code !== 'ENOENT') this.#throwIf(error, path);
  }

  async rename(source: string, target: string): Promise<void> {
    const params = { sessionId: this.#sessionId, src: source, dest: target };
    this.#throwIf(await this.#provider.call('sessionFs.rename', params), source);
  }

  /** The whole file, split: none of the ten methods reads a part. */
  async *readLines(path: string, fromByte = 0): AsyncGenerator<string> {
    const content = await this.readFileBytes(path);
    yield* splitLines([content.subarray(fromByte)]);
  }

  async dispose(): Promise<void> {}

  /** The size of a file whose provider doesn't count bytes, or keeps some of them as text. */
  async #count(path: string, told: number, { counts }: ProviderAbilities): Promise<number> {
    const form = await this.#contentForm();
    const stored = await this.#readStored(path, form.readParams).catch((error: unknown) => {
      // Not ENOENT: the caller would conclude that there is no such file.
      if (errorCode(error) !== 'ENOENT') throw error;
      throw ProviderFailure.failed('EPROTO', `${path} has ${told} ${counts}, but can't be found when it is read`);
    });
    const bytes = form.bytesOf(stored);
    const found = { bytes: Buffer.byteLength(stored), characters: stored.length, neither: told }[counts];
    if (!form.readParams.encoding && found !== told) {
      throw ProviderFailure.failed('EPROTO', `${path} has ${told} ${counts}, but ${found} came when it was read`);
    }
    return bytes.length;
  }

  async #readStored(path: string, params: ProviderContent['readParams'] = {}): Promise<string> {
    const { content, error } = await this.#provider.call('sessionFs.readFile', { ...this.#target(path), ...params });
    this.#throwIf(error, path);
    return content;
  }

  async #append(path: string, piece: ContentPiece): Promise<void> {
    this.#throwIf(await this.#provider.call('sessionFs.appendFile', { ...this.#target(path), ...piece }), path);
  }

  async #contentForm(): Promise<ProviderContent> {
    return this.#form ?? providerContent(await this.#abilities());
  }

  async #abilities(): Promise<ProviderAbilities> {
    const abilities = await this.#probe.abilities(this.#sessionId);
    this.#form ??= providerContent(abilities);
    return abilities;
  }

  #target(path: string) {
    return { sessionId: this.#sessionId, path };
  }

  #throwIf(error: SessionFsOutcome | SessionFsError | undefined, path: string): void {
    if (error) throw ProviderFailure.failed(error.code, `${path}: ${error.message}`);
  }
}

const NO_CONTENT: ContentPiece = { content: '' };

/** A provider has its own clock and format; an unreadable time is no reason to fail. */
function time(iso: string): number {
  const parsed = Date.parse(iso);
  return Number.isNaN(parsed) ? 0 : parsed;
}
