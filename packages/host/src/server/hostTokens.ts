import { type FSWatcher, watch } from 'node:fs';
import type { HostLog } from '../hostLog.js';
import { type Credential, OWNER } from '../protocol/credential.js';
import { type AcceptedToken, type Authenticator, digestOf } from './authenticator.js';
import { DEVICE_TOKENS_FILE, DeviceTokens } from './deviceTokens.js';
import { checkToken, TOKEN_FILE, TokenFile } from './tokenFile.js';
import { TokenUse } from './tokenUse.js';

export interface HostTokensOptions {
  readonly stateRoot: string;
  readonly authenticator: Authenticator;
  /** The owner's token, where it is not the one in the state root. */
  readonly fixed?: string;
  /** These credentials are no more: whoever is connected with one has to go, now. */
  readonly onRevoked: (credentialIds: ReadonlySet<string>, why: string) => void;
  readonly log: HostLog;
}

/** Every token that opens this host, kept in step with the files that `agenthost token` writes. */
export class HostTokens {
  readonly #options: HostTokensOptions;
  readonly #file: TokenFile;
  readonly #devices: DeviceTokens;
  readonly #use: TokenUse;
  #watcher: FSWatcher | undefined;
  #reading: Promise<void> = Promise.resolve();
  #owner = '';
  #deviceTokens: readonly AcceptedToken[] = [];

  static async open(options: HostTokensOptions): Promise<HostTokens> {
    const { log, stateRoot } = options;
    const use = await TokenUse.open(stateRoot, (error) => log.error('when tokens were used could not be noted', error));
    const tokens = new HostTokens(options, use);
    // Before the first reading: what changes in between is seen as well.
    tokens.#watch();
    try {
      const { fixed } = options;
      tokens.#owner = fixed === undefined ? await tokens.#file.readOrCreate() : checkToken(fixed, '$AGENTHOST_TOKEN');
      tokens.#reading = tokens.#reading.then(() => tokens.#readDevices());
      await tokens.#reading;
      return tokens;
    } catch (error) {
      await tokens.dispose();
      throw error;
    }
  }

  private constructor(options: HostTokensOptions, use: TokenUse) {
    this.#options = options;
    this.#use = use;
    this.#file = new TokenFile(options.stateRoot);
    this.#devices = new DeviceTokens(options.stateRoot);
  }

  /** The host's own token. */
  get owner(): string {
    return this.#owner;
  }

  used({ id }: Credential): void {
    this.#use.used(id);
  }

  async dispose(): Promise<void> {
    this.#watcher?.close();
    await this.#use.dispose();
  }

  #watch(): void {
    const failed = (error: unknown) => this.#options.log.error('the tokens could not be read', error);
    this.#watcher = watch(this.#options.stateRoot, (_event, file) => {
      // One after the other: what was read first must not be taken for the newest.
      if (file === TOKEN_FILE && this.#options.fixed === undefined)
        this.#reading = this.#reading.then(() => this.#readOwner()).catch(failed);
      else if (file === DEVICE_TOKENS_FILE) this.#reading = this.#reading.then(() => this.#readDevices()).catch(failed);
    });
    this.#watcher.unref();
    this.#watcher.on('error', failed);
  }

  async #readOwner(): Promise<void> {
    const found = await this.#file.read();
    if (found === undefined || found === this.#owner || this.#owner === '') return;
    this.#owner = checkToken(found, this.#file.path);
    this.#accept();
    this.#options.onRevoked(new Set([OWNER.id]), 'the token was rotated');
    this.#options.log.info('the token was rotated: everybody has to come back with the new one');
  }

  /** A file that can't be read lets nobody in. */
  async #readDevices(): Promise<void> {
    const before = this.#deviceTokens;
    this.#deviceTokens = await this.#devices.list().then(
      (tokens) =>
        tokens.map(({ id, name, role, sha256 }) => ({
          credential: { id, name, role },
          digest: Buffer.from(sha256, 'hex'),
        })),
      (error: unknown) => {
        this.#options.log.error("no device is let in, because the tokens can't be read", error);
        return [];
      },
    );
    this.#accept();
    const revoked = before.filter((old) => !this.#deviceTokens.some((token) => isSame(token, old)));
    if (revoked.length === 0) return;
    this.#options.onRevoked(new Set(revoked.map(({ credential }) => credential.id)), 'the token was revoked');
    const names = revoked.map(({ credential }) => credential.name).join(', ');
    this.#options.log.info(`tokens were revoked: ${names}`);
  }

  #accept(): void {
    const owner: AcceptedToken = { credential: OWNER, digest: digestOf(this.#owner) };
    this.#options.authenticator.setTokens([owner, ...this.#deviceTokens]);
    this.#use.keepOnly(new Set([owner, ...this.#deviceTokens].map(({ credential }) => credential.id)));
  }
}

function isSame(a: AcceptedToken, b: AcceptedToken): boolean {
  const same = (['id', 'name', 'role'] as const).every((key) => a.credential[key] === b.credential[key]);
  return same && a.digest.equals(b.digest);
}
