import { hash } from 'node:crypto';
import type { ActionEnvelope, ClientAction, URI } from '@agenthost/protocol';
import { parseSessionUri } from '@agenthost/protocol';
import type { InProcessClient } from './inProcessClient.js';
import { Problem, rejectionProblem } from './problem.js';

export interface ApiAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

type Sent<T> = T extends unknown ? Omit<T, 'at' | 'by' | 'session'> : never;
export type SentAction = Sent<ClientAction>;

/** One request, checked as far as its form goes. */
export class ApiCall {
  readonly path: Readonly<Record<string, string>>;
  /** Of the operation's schemas. */
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly client: InProcessClient;
  /** An earlier request with the same key may have been carried out. */
  readonly mayBeDone: boolean;
  /** What ids are made from, so that a repeated request makes the same ones. */
  readonly #seed: string;

  constructor(options: Pick<ApiCall, 'path' | 'query' | 'body' | 'client' | 'mayBeDone'> & { readonly seed: string }) {
    this.path = options.path;
    this.query = options.query;
    this.body = options.body;
    this.client = options.client;
    this.mayBeDone = options.mayBeDone;
    this.#seed = options.seed;
  }

  get session(): URI {
    return sessionOf(this.path['session'] ?? '');
  }

  get turnId(): string {
    return this.path['turnId'] ?? '';
  }

  /** The same for each repetition of the request, and for no other. */
  newId(what: string): string {
    return idFrom(`${this.#seed}\0${what}`);
  }

  /** Throws a `Problem` when the host refuses it. */
  async dispatch(action: SentAction): Promise<ActionEnvelope> {
    const envelope = await this.client.dispatch({ ...action, session: this.session } as Parameters<
      InProcessClient['dispatch']
    >[0]);
    if (envelope.rejectionReason !== undefined) throw rejectionProblem(envelope);
    return envelope;
  }
}

/** A UUID, of version 8: its bits are a hash. */
export function idFrom(text: string): string {
  const hex = hash('sha256', text, 'hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-9${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** A session in an address: its URI, or the same without the slash, `shell:s1`. */
export function sessionOf(text: string): URI {
  const uri = /^[^:/]+:[^/]/.test(text) ? text.replace(':', ':/') : text;
  if (parseSessionUri(uri)) return uri;
  throw new Problem(404, 'sessionNotFound', 'This is not the id of a session.', {
    whatToDo: 'Use the `resource` of a session as GET /api/v1/sessions lists it, percent-encoded.',
  });
}
