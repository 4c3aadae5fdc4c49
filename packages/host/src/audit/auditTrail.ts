import type { AuditActor, AuditEntry, Author, Commands, Role, URI } from '@agenthost/protocol';
import { DEFAULT_SPACE } from '@agenthost/protocol/internal';
import type { HostLog } from '../hostLog.js';
import { AUDITED_COMMANDS } from './auditedCommands.js';
import type { AuditPage, AuditQuery, AuditStore, StoredAuditEntry } from './auditStore.js';
import { GatheredEntries } from './gatheredEntries.js';

/** While the storage fails, the newest of these wait. */
const MAX_WAITING = 1_000;
const RETRY_MS = 5_000;
const MAX_TEXT = 300;

export interface AuditTrailOptions {
  readonly store: AuditStore;
  /** Which of several hosts. */
  readonly host?: string;
  readonly log: HostLog;
  readonly now?: () => number;
}

/** A token as far as the trail tells of it. */
interface KnownToken {
  readonly credential: { readonly id: string; readonly role: Role; readonly name?: string; readonly space?: string };
  readonly digest: Buffer;
}

type Fact = Omit<AuditEntry, 'at' | 'host'>;
type Outcome = NonNullable<AuditEntry['outcome']>;

/** Who did what, when, from which device. It never delays what it records, and never fails it. */
export class AuditTrail {
  readonly #options: AuditTrailOptions;
  readonly #gathered: GatheredEntries<{ readonly fact: Fact; readonly space: string }>;
  #waiting: StoredAuditEntry[] = [];
  #dropped = 0;
  #writing: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #hasFailed = false;
  #tokens: ReadonlyMap<string, KnownToken> | undefined;

  constructor(options: AuditTrailOptions) {
    this.#options = options;
    this.#gathered = new GatheredEntries(({ fact, space }, count) =>
      this.#record({ ...fact, ...(count > 1 && { count }) }, space),
    );
  }

  started(version: string): void {
    this.#record({ event: 'hostStarted', text: `the host started, version ${version}` });
  }

  /** The host did something by itself that an owner has to know of. */
  happened(event: string, text: string, space: string): void {
    this.#record({ event, text }, space);
  }

  /** A socket of a known token was let in. */
  connected(actor: AuditActor, from: string, space: string | undefined): void {
    const fact: Fact = { event: 'connected', text: 'connected', by: actor, from };
    this.#gather(
      `connected ${actor.token} ${from}`,
      fact,
      { event: 'connected', text: 'other devices connected' },
      space,
    );
  }

  /** A connection without a valid token or code. */
  refused(text: string, from: string): void {
    const fact: Fact = { event: 'refused', text, from, outcome: 'refused' };
    const others: Fact = {
      event: 'refused',
      text: 'connections from other addresses were refused',
      outcome: 'refused',
    };
    this.#gather(`refused ${text} ${from}`, fact, others, undefined);
  }

  /** A command that the sender's role does not allow. */
  notAllowed(method: string, actor: AuditActor, space: string | undefined): void {
    const fact: Fact = { event: method, text: `was not allowed to send ${method}`, by: actor, outcome: 'refused' };
    const others: Fact = { event: 'refused', text: 'other commands were not allowed', outcome: 'refused' };
    this.#gather(`role ${actor.token} ${method}`, fact, others, space);
  }

  /** Called when a command begins; the result is called with its outcome. `undefined` for a command that the trail does not have. */
  command<M extends keyof Commands>(
    method: M,
    params: Commands[M]['params'],
    actor: AuditActor,
    space: string | undefined,
  ): ((outcome: Outcome) => void) | undefined {
    const row = AUDITED_COMMANDS[method];
    if (row === undefined) return undefined;
    const text = typeof row === 'string' ? row : row(params);
    const session = sessionOf(params);
    return (outcome) => {
      const told = outcome === 'done' ? text : `${text}: it failed`;
      this.#record({ event: method, text: told, by: actor, ...(session && { session }), outcome }, space);
    };
  }

  /** Somebody answered a question of an agent, or of the host. */
  answered({ by, ...fact }: Omit<Fact, 'by'> & { readonly by: Author }, space: string): void {
    const { name = by.clientId, ...others } = by;
    this.#record({ ...fact, by: { name, ...others } }, space);
  }

  /** All tokens that are accepted now; the first call is only remembered. */
  tokensChanged(tokens: readonly KnownToken[]): void {
    const before = this.#tokens;
    const now = new Map(tokens.map((token) => [token.credential.id, token]));
    this.#tokens = now;
    if (!before) return;
    for (const [id, { credential: token, digest }] of now) {
      const old = before.get(id);
      if (!old) this.#token('tokenAdded', `a token was added: ${nameOf(token)}, ${token.role}`, token);
      else if (!old.digest.equals(digest))
        this.#token('tokenRotated', `the token of ${nameOf(token)} was replaced`, token);
      else if (old.credential.role !== token.role) {
        const change = `from ${old.credential.role} to ${token.role}`;
        this.#token('tokenChanged', `the role of ${nameOf(token)} changed ${change}`, token);
      }
    }
    for (const [id, { credential: token }] of before)
      if (!now.has(id)) this.#token('tokenRemoved', `a token was removed: ${nameOf(token)}, ${token.role}`, token);
  }

  /** With what was recorded before the call. */
  async read(query: AuditQuery): Promise<AuditPage> {
    await this.#writing;
    return this.#options.store.read(query);
  }

  async dispose(): Promise<void> {
    this.#gathered.dispose();
    clearTimeout(this.#retry);
    this.#retry = undefined;
    await this.#writing;
    if (this.#waiting.length > 0) await this.#write();
    clearTimeout(this.#retry);
  }

  #token(event: string, text: string, { space }: KnownToken['credential']): void {
    this.#record({ event, text }, space);
  }

  #gather(kind: string, fact: Fact, others: Fact, space = DEFAULT_SPACE): void {
    this.#gathered.add(`${space} ${kind}`, { fact, space }, { fact: others, space: DEFAULT_SPACE });
  }

  #record(fact: Fact, space = DEFAULT_SPACE): void {
    const { host, now = Date.now } = this.#options;
    const text = fact.text.length > MAX_TEXT ? `${fact.text.slice(0, MAX_TEXT - 1)}…` : fact.text;
    this.#waiting.push({ at: now(), ...fact, text, ...(host !== undefined && { host }), space });
    if (this.#waiting.length > MAX_WAITING)
      this.#dropped += this.#waiting.splice(0, this.#waiting.length - MAX_WAITING).length;
    if (this.#retry === undefined) this.#writing ??= this.#write();
  }

  async #write(): Promise<void> {
    // What happens in the same tick is one write.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const entries = this.#waiting;
      this.#waiting = [];
      try {
        await this.#options.store.append(this.#dropped > 0 ? [...entries, this.#lost()] : entries);
        this.#dropped = 0;
        this.#hasFailed = false;
      } catch (error) {
        this.#waiting.unshift(...entries);
        if (!this.#hasFailed) this.#options.log.error('the audit trail could not be written; trying again', error);
        this.#hasFailed = true;
        this.#retry = setTimeout(() => {
          this.#retry = undefined;
          this.#writing ??= this.#write();
        }, RETRY_MS).unref();
        break;
      }
    }
    this.#writing = undefined;
  }

  #lost(): StoredAuditEntry {
    const { now = Date.now } = this.#options;
    const text = `${this.#dropped} entries are missing before this one: they could not be written`;
    return { at: now(), event: 'entriesLost', text, space: DEFAULT_SPACE };
  }
}

function nameOf({ name, id }: KnownToken['credential']): string {
  return name ?? id;
}

function sessionOf(params: unknown): URI | undefined {
  const { session } = (params ?? {}) as { readonly session?: unknown };
  return typeof session === 'string' ? session : undefined;
}
