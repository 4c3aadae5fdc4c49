import { hash } from 'node:crypto';
import { type ClientAction, parseSessionUri, type SessionState, type URI } from '@agenthost/protocol';
import { rejectionOf } from '@agenthost/protocol/internal';
import type { InProcessClient } from './inProcessClient.js';
import { Problem, rejectionProblem } from './problem.js';

/** How long an agent may take to start. */
const READY_MS = 30_000;

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
  #clientSeq = 0;

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

  /** Throws a `Problem` when the host refuses it. A session that is just being made is waited for. */
  async dispatch(sent: SentAction): Promise<void> {
    const clientSeq = ++this.#clientSeq;
    const action = { ...sent, session: this.session } as Parameters<InProcessClient['dispatch']>[1];
    let envelope = await this.client.dispatch(clientSeq, action);
    // Under the same number: what was refused took none.
    if (rejectionOf(envelope)?.code === 'sessionNotReady' && (await this.#becomesReady()))
      envelope = await this.client.dispatch(clientSeq, action);
    if (envelope.rejectionReason !== undefined) throw rejectionProblem(envelope);
  }

  async #becomesReady(): Promise<boolean> {
    const until = Date.now() + READY_MS;
    while (Date.now() < until) {
      const { state } = await this.client.request('subscribe', { resource: this.session, turns: 1 });
      if ((state as SessionState).lifecycle !== 'creating') return true;
      await this.client.news(until - Date.now());
    }
    return false;
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
