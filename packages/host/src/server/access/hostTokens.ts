import { type Credential, OWNER } from '../../connection/credential.js';
import type { HostLog } from '../../hostLog.js';
import { type AcceptedToken, type Authenticator, digestOf } from './authenticator.js';
import { type DeviceToken, DeviceTokenError } from './deviceTokens.js';
import { checkToken } from './tokenFile.js';
import type { TokenSource } from './tokenSource.js';

export interface HostTokensOptions {
  readonly source: TokenSource;
  readonly authenticator: Authenticator;
  /** The owner's token, if it is not the one of the source. */
  readonly fixed?: string;
  readonly log: HostLog;
}

/** An accepted token, and the function that revokes its credential. */
interface LiveToken extends AcceptedToken {
  revoke(why: string): void;
}

/** Delay after a failure to read a token file: until then a revoked token may still be accepted. */
const RETRY_MS = 1_000;

/** Every token that opens this host, kept up to date with what `agenthost token` changes. */
export class HostTokens {
  readonly #options: HostTokensOptions;
  readonly #source: TokenSource;
  #watcher: { close(): void } | undefined;
  #reading: Promise<void> = Promise.resolve();
  #owner = '';
  #ownerToken: LiveToken | undefined;
  #deviceTokens: readonly LiveToken[] = [];
  #retry: NodeJS.Timeout | undefined;

  static async open(options: HostTokensOptions): Promise<HostTokens> {
    const tokens = new HostTokens(options);
    // Starts before the first reading, so that changes in between are seen as well.
    tokens.#watch();
    try {
      const { fixed } = options;
      tokens.#setOwner(
        fixed === undefined ? await tokens.#source.owner.readOrCreate() : checkToken(fixed, '$AGENTHOST_TOKEN'),
      );
      tokens.#read(() => tokens.#readDevices());
      await tokens.#reading;
      return tokens;
    } catch (error) {
      await tokens.dispose();
      throw error;
    }
  }

  private constructor(options: HostTokensOptions) {
    this.#options = options;
    this.#source = options.source;
  }

  /** The host's own token. */
  get owner(): string {
    return this.#owner;
  }

  used({ id }: Credential): void {
    this.#source.use.used(id);
  }

  async dispose(): Promise<void> {
    this.#watcher?.close();
    clearTimeout(this.#retry);
    await this.#source.use.dispose();
  }

  #watch(): void {
    this.#watcher = this.#source.watch((what) => {
      if (what === 'devices') this.#read(() => this.#readDevices());
      else if (this.#options.fixed === undefined) this.#read(() => this.#readOwner());
    });
  }

  /** One reading after the other: an older result must not replace a newer one. */
  #read(read: () => Promise<void>): void {
    this.#reading = this.#reading.then(read).catch((error: unknown) => {
      this.#options.log.error('the tokens could not be read; trying again in a second', error);
      this.#retry = setTimeout(() => this.#read(read), RETRY_MS).unref();
    });
  }

  async #readOwner(): Promise<void> {
    const found = await this.#source.owner.read();
    if (found === undefined || found === this.#owner || this.#owner === '') return;
    const rotated = this.#ownerToken;
    this.#setOwner(checkToken(found, this.#source.owner.path));
    this.#accept();
    rotated?.revoke('the token was rotated');
    this.#options.log.info('the token was rotated: all clients have to reconnect with the new one');
  }

  async #readDevices(): Promise<void> {
    try {
      this.#setDevices(await this.#source.devices.list());
    } catch (error) {
      // An unreadable file accepts no device.
      this.#setDevices([]);
      // An invalid file is read again when it changes; one that could not be opened is tried again.
      if (!(error instanceof DeviceTokenError)) throw error;
      this.#options.log.error("no device is let in, because the tokens can't be read", error);
    }
  }

  #setDevices(tokens: readonly DeviceToken[]): void {
    const before = this.#deviceTokens;
    this.#deviceTokens = tokens.map(({ id, name, role, sha256 }) => {
      const token = liveToken({ id, name, role }, Buffer.from(sha256, 'hex'));
      return before.find((known) => isSame(known, token)) ?? token;
    });
    this.#accept();
    this.#warnOfSame(before);
    const revoked = before.filter((old) => !this.#deviceTokens.includes(old));
    if (revoked.length === 0) return;
    for (const token of revoked) token.revoke('the token was revoked');
    const names = revoked.map(({ credential }) => credential.name).join(', ');
    this.#options.log.info(`tokens were revoked: ${names}`);
  }

  /** A token that is also the owner's can't be revoked as the device's. */
  #warnOfSame(before: readonly LiveToken[]): void {
    const owner = this.#ownerToken;
    const same = this.#deviceTokens.find(
      (token) => !before.includes(token) && owner && token.digest.equals(owner.digest),
    );
    if (same)
      this.#options.log.warn(`the token of ${same.credential.name} is the owner's as well: give the host another`);
  }

  #setOwner(token: string): void {
    this.#owner = token;
    this.#ownerToken = liveToken(OWNER, digestOf(token));
  }

  #accept(): void {
    const tokens = this.#ownerToken ? [this.#ownerToken, ...this.#deviceTokens] : this.#deviceTokens;
    this.#options.authenticator.setTokens(tokens);
    this.#source.use.keepOnly(new Set(tokens.map(({ credential }) => credential.id)));
  }
}

function liveToken(credential: Credential, digest: Buffer): LiveToken {
  const end = new AbortController();
  return { credential: { ...credential, revoked: end.signal }, digest, revoke: (why) => end.abort(why) };
}

function isSame(a: AcceptedToken, b: AcceptedToken): boolean {
  const same = (['id', 'name', 'role'] as const).every((key) => a.credential[key] === b.credential[key]);
  return same && a.digest.equals(b.digest);
}
