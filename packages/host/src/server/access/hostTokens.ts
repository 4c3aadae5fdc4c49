import { setTimeout as delay } from 'node:timers/promises';
import { CLOSE_CODE } from '@agenthost/protocol';
import { DEFAULT_SPACE } from '@agenthost/protocol/internal';
import type { CloseReason } from '@agenthost/rpc';
import { type Credential, OWNER } from '../../connection/credential.js';
import type { HostLog } from '../../hostLog.js';
import { type AcceptedToken, type Authenticator, digestOf } from './authenticator.js';
import { type DeviceToken, DeviceTokenError, hasEnded } from './deviceToken.js';
import { checkToken } from './tokenFile.js';
import type { TokenSource, TokenWatcher } from './tokenSource.js';

export interface HostTokensOptions {
  readonly source: TokenSource;
  readonly authenticator: Authenticator;
  /** The owner's token, if it is not the one of the source. */
  readonly fixed?: string;
  /** Called with all tokens that open the host, each time that they change. */
  readonly onTokens?: (tokens: readonly AcceptedToken[], lookAgain: () => Promise<void>) => void;
  readonly log: HostLog;
}

/** An accepted token, and the function that revokes its credential. */
interface LiveToken extends AcceptedToken {
  revoke(why: CloseReason): void;
}

/** Delay after a failure to read a token file: until then a revoked token may still be accepted. */
const RETRY_MS = 1_000;
/** At least so often it is looked whether a link has ended: a timer does not count the time that a machine sleeps. */
const LOOK_FOR_ENDS_MS = 30_000;
/** So often at the most are tokens read because of one that is not known. */
const GATHER_MS = 100;
/** The database may be away. */
const LOOK_AGAIN_MS = 2_000;

/** Every token that opens this host, kept up to date with what `agenthost token` changes. */
export class HostTokens {
  readonly #options: HostTokensOptions;
  readonly #source: TokenSource;
  #watcher: TokenWatcher | undefined;
  #reading: Promise<void> = Promise.resolve();
  #owner = '';
  #ownerToken: LiveToken | undefined;
  #deviceTokens: readonly LiveToken[] = [];
  #retry: NodeJS.Timeout | undefined;
  #nextEnd: NodeJS.Timeout | undefined;
  #lookingAgain: Promise<void> | undefined;
  #isDisposed = false;

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

  /** Called when a client with this token connects, and when it disconnects. */
  used(id: string): void {
    const tokens = this.#ownerToken ? [this.#ownerToken, ...this.#deviceTokens] : this.#deviceTokens;
    if (!this.#isDisposed && tokens.some(({ credential }) => credential.id === id)) this.#source.use.used(id);
  }

  /** Whether a read-only link shows that session. */
  hasLink(session: string): boolean {
    return this.#deviceTokens.some(({ credential }) => credential.shared?.session === session);
  }

  /** Resolves when a change that was just stored counts. */
  async reread(): Promise<void> {
    this.#read(() => this.#readDevices());
    await this.#reading;
  }

  /**
   * For a token that is not known: another host on the same database may have made it a moment ago. Those who ask at the same time share
   * one reading, and nobody waits for long.
   */
  lookAgain(): Promise<void> {
    this.#lookingAgain ??= delay(GATHER_MS, undefined, { ref: false })
      .then(() => {
        this.#lookingAgain = undefined;
        const reread = this.reread().then(() => this.#watcher?.forget?.());
        return Promise.race([reread, delay(LOOK_AGAIN_MS, undefined, { ref: false })]);
      })
      .catch(() => {});
    return this.#lookingAgain;
  }

  /** These clients are disconnected from now on. */
  async dispose(connected: readonly { readonly credentialId: string }[] = []): Promise<void> {
    for (const { credentialId } of connected) this.used(credentialId);
    this.#isDisposed = true;
    this.#watcher?.close();
    clearTimeout(this.#retry);
    clearTimeout(this.#nextEnd);
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
    rotated?.revoke(unauthorized('the token was rotated'));
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
    const current = tokens.filter((token) => !hasEnded(token));
    this.#deviceTokens = current.map(({ id, name, user, role: given, space = DEFAULT_SPACE, sha256, shared, only }) => {
      // A link reads, whatever its row says; so does what reads metrics.
      const role = shared || only ? 'viewer' : given;
      const purpose = { ...(shared && { shared }), ...(only && { only }) };
      const credential = { id, name, role, space, ...(user !== undefined && { user }), ...purpose };
      const token = liveToken(credential, Buffer.from(sha256, 'hex'));
      return before.find((known) => isSame(known, token)) ?? token;
    });
    this.#accept();
    this.#awaitEnds();
    this.#warnOfSame(before);
    const gone = before.filter((old) => !this.#deviceTokens.includes(old));
    const [changed, revoked] = [gone.filter((old) => this.#isKept(old)), gone.filter((old) => !this.#isKept(old))];
    for (const token of changed) token.revoke(CHANGED);
    if (revoked.length === 0) return;
    for (const token of revoked) token.revoke(unauthorized('the token was revoked'));
    const names = revoked.map(({ credential }) => credential.name).join(', ');
    this.#options.log.info(`tokens were revoked: ${names}`);
  }

  /** Closes what was opened with a link, when the link ends. */
  #awaitEnds(): void {
    clearTimeout(this.#nextEnd);
    const ends = this.#deviceTokens.flatMap(({ credential }) => credential.shared?.endsAt ?? []);
    if (ends.length === 0 || this.#isDisposed) return;
    const wait = Math.min(Math.max(Math.min(...ends) - Date.now(), 0), LOOK_FOR_ENDS_MS);
    this.#nextEnd = setTimeout(() => {
      const ended = this.#deviceTokens.filter(({ credential }) => hasEnded(credential));
      this.#deviceTokens = this.#deviceTokens.filter((token) => !ended.includes(token));
      if (ended.length > 0) this.#accept();
      for (const token of ended) token.revoke(LINK_ENDED);
      this.#awaitEnds();
    }, wait).unref();
  }

  /** It is the same token with another role or name: its clients connect again and learn which. */
  #isKept({ credential, digest }: LiveToken): boolean {
    return this.#deviceTokens.some((other) => other.credential.id === credential.id && other.digest.equals(digest));
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
    this.#options.onTokens?.(tokens, () => this.lookAgain());
    this.#source.use.keepOnly(new Set(tokens.map(({ credential }) => credential.id)));
  }
}

const LINK_ENDED = unauthorized('the link has ended');
const CHANGED: CloseReason = { code: CLOSE_CODE.resync, message: 'the role or name of this device changed' };

function unauthorized(message: string): CloseReason {
  return { code: CLOSE_CODE.unauthorized, message };
}

function liveToken(credential: Credential, digest: Buffer): LiveToken {
  const end = new AbortController();
  return { credential: { ...credential, revoked: end.signal }, digest, revoke: (why) => end.abort(why) };
}

function isSame(a: AcceptedToken, b: AcceptedToken): boolean {
  const [one, other] = [a.credential, b.credential];
  const same = (['id', 'name', 'user', 'role', 'space', 'only'] as const).every((key) => one[key] === other[key]);
  const sameLink = one.shared?.session === other.shared?.session && one.shared?.endsAt === other.shared?.endsAt;
  return same && sameLink && a.digest.equals(b.digest);
}
