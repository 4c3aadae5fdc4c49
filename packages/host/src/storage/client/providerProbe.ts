import { posix, win32 } from 'node:path';
import type { SessionFsRequests } from '@agenthost/protocol';
import type { SessionFsError, SessionFsOutcome } from '@agenthost/protocol/internal';
import { ProviderFailure } from '../fs/providerFailure.js';
import type { SessionFsProvider } from './sessionFsProvider.js';

/** What a file provider understands beyond text. */
export interface ProviderAbilities {
  /** It knows `encoding: 'base64'`: any bytes can be stored unchanged. Without it, it keeps only text. */
  readonly takesBase64: boolean;
  /** The unit of `size` in its `stat`. */
  readonly counts: 'bytes' | 'characters' | 'neither';
}

const PROBE_FILE = 'agenthost-probe.txt';
/** Text that survives only as UTF-8, then bytes that are no text. */
const TEXT = 'ü€🦊\r\n';
const MORE = 'more';
const BYTES = Buffer.concat([Buffer.from(TEXT), Buffer.of(0xff, 0x00, 0xc3)]).toString('base64');

/**
 * Finds out what a provider understands, with a small file that is written, read and removed. It runs once, with the file system
 * of the first session that needs it, because providers refuse calls for unknown sessions.
 */
export class ProviderProbe {
  readonly #provider: SessionFsProvider;
  #known: ProviderAbilities | undefined;
  #asking: Promise<ProviderAbilities> | undefined;

  constructor(provider: SessionFsProvider) {
    this.#provider = provider;
  }

  /** Rejects when the provider fails; the next call tries again. */
  async abilities(sessionId: string, timeoutMs?: number): Promise<ProviderAbilities> {
    while (this.#asking && !this.#known) await this.#asking.catch(() => undefined);
    if (this.#known) return this.#known;
    this.#asking = this.#ask(sessionId, timeoutMs).finally(() => {
      this.#asking = undefined;
    });
    this.#known = await this.#asking;
    return this.#known;
  }

  async #ask(sessionId: string, timeoutMs: number | undefined): Promise<ProviderAbilities> {
    const { sessionStatePath, conventions } = this.#provider.config;
    const path = (conventions === 'windows' ? win32 : posix).join(sessionStatePath, PROBE_FILE);
    const file = new ProbeFile(this.#provider, { sessionId, path }, timeoutMs);
    await file.makeFolder(sessionStatePath);
    try {
      const takesBase64 = await file.takesBase64();
      return { takesBase64, counts: await file.counts() };
    } finally {
      await file.remove();
    }
  }
}

class ProbeFile {
  readonly #provider: SessionFsProvider;
  readonly #target: { readonly sessionId: string; readonly path: string };
  readonly #timeoutMs: number | undefined;

  constructor(
    provider: SessionFsProvider,
    target: { readonly sessionId: string; readonly path: string },
    timeoutMs: number | undefined,
  ) {
    this.#provider = provider;
    this.#target = target;
    this.#timeoutMs = timeoutMs;
  }

  async makeFolder(path: string): Promise<void> {
    const error = await this.#call('sessionFs.mkdir', { ...this.#target, path, recursive: true });
    if (error?.code !== 'EEXIST') this.#throwIf(error);
  }

  /** Written as base64 and read as text, then as base64: a provider without the encoding returns what it was sent. */
  async takesBase64(): Promise<boolean> {
    const write = () =>
      this.#call('sessionFs.writeFile', { ...this.#target, content: BYTES, encoding: 'base64' }).catch(refused);
    // An error may be temporary; a provider that refuses the encoding refuses it again.
    if ((await write()) !== null && (await write()) !== null) return false;
    const asText = await this.#call('sessionFs.readFile', this.#target);
    if (asText.error || asText.content === BYTES) return false;
    const asBase64 = await this.#call('sessionFs.readFile', { ...this.#target, encoding: 'base64' }).catch(refused);
    return 'content' in asBase64 && asBase64.content === BYTES;
  }

  /** Rejects when text comes back changed. */
  async counts(): Promise<ProviderAbilities['counts']> {
    this.#throwIf(await this.#call('sessionFs.writeFile', { ...this.#target, content: TEXT }));
    this.#throwIf(await this.#call('sessionFs.appendFile', { ...this.#target, content: MORE }));
    const { content, error } = await this.#call('sessionFs.readFile', this.#target);
    this.#throwIf(error);
    if (content !== TEXT + MORE) {
      throw ProviderFailure.failed('EPROTO', `${this.#target.path} came back with another text than was written to it`);
    }
    const stat = await this.#call('sessionFs.stat', this.#target);
    this.#throwIf(stat.error);
    if (stat.size === Buffer.byteLength(content)) return 'bytes';
    return stat.size === content.length ? 'characters' : 'neither';
  }

  async remove(): Promise<void> {
    await this.#call('sessionFs.rm', { ...this.#target, force: true }).catch(() => undefined);
  }

  #call<M extends keyof SessionFsRequests>(
    method: M,
    params: SessionFsRequests[M]['params'],
  ): Promise<SessionFsRequests[M]['result']> {
    return this.#provider.call(method, params, this.#timeoutMs);
  }

  #throwIf(error: SessionFsOutcome | undefined): void {
    if (error) throw ProviderFailure.failed(error.code, `${this.#target.path}: ${error.message}`);
  }
}

/** A provider may also refuse unknown parameters with an error of the call; one that is gone or silent answers nothing. */
function refused(error: unknown): SessionFsError {
  if (error instanceof ProviderFailure && !error.isGone && error.code !== 'ETIMEDOUT') return error;
  throw error;
}
