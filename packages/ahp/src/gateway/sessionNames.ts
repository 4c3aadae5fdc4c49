import { SessionGoneError } from '@agenthost/client';
import { parseSessionUri, type URI } from '@agenthost/protocol';
import { dropOldest } from '@agenthost/protocol/internal';
import { specifiedId, specifiedName } from '../translate/uris.js';

export interface SessionNamesOptions {
  /** The ids of all agents: one of them has the session when only its id is known. */
  readonly providers: () => readonly string[];
  /** Rejects with a SessionGoneError when there is no such session. */
  readonly open: (session: URI) => Promise<unknown>;
  /** The client wants every session named `ahp-session:/<id>`. */
  readonly wantsSpecified: boolean;
}

const MAX_KNOWN = 10_000;

/** One client's names for our sessions: `<provider>:/<id>`, or `ahp-session:/<id>` if it used that name itself. */
export class SessionNames {
  readonly #options: SessionNamesOptions;
  readonly #providers = new Map<string, string>();
  readonly #specified = new Set<URI>();

  constructor(options: SessionNamesOptions) {
    this.#options = options;
  }

  /** The name for the client. */
  nameOf(session: URI): URI {
    const isSpecified = this.#options.wantsSpecified || this.#specified.has(session);
    return isSpecified ? specifiedName(session) : session;
  }

  /** The client has used this name. */
  use(name: URI, session: URI): void {
    this.learn(session);
    if (specifiedId(name) === undefined) return;
    this.#specified.add(session);
    dropOldest(this.#specified, MAX_KNOWN);
  }

  learn(session: URI): void {
    const parts = parseSessionUri(session);
    if (!parts) return;
    this.#providers.set(parts.sessionId, parts.provider);
    dropOldest(this.#providers, MAX_KNOWN);
  }

  forget(session: URI): void {
    this.#specified.delete(session);
    const parts = parseSessionUri(session);
    if (parts) this.#providers.delete(parts.sessionId);
  }

  /** Our name for it, if it is known without asking. */
  known(name: URI): URI | undefined {
    const id = specifiedId(name);
    if (id === undefined) return name;
    const provider = this.#providers.get(id);
    return provider === undefined ? undefined : `${provider}:/${id}`;
  }

  /** Ids are unique among all agents: the first that has the session is its agent. */
  async find(name: URI): Promise<URI> {
    const known = this.known(name);
    if (known !== undefined) return known;
    const id = specifiedId(name) ?? '';
    for (const provider of this.#options.providers()) {
      const session = `${provider}:/${id}`;
      if (await this.#exists(session)) {
        this.learn(session);
        return session;
      }
    }
    throw new SessionGoneError(name);
  }

  async #exists(session: URI): Promise<boolean> {
    try {
      await this.#options.open(session);
      return true;
    } catch (error) {
      if (error instanceof SessionGoneError) return false;
      throw error;
    }
  }
}
