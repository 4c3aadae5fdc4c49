import {
  ActionRejectedError,
  ClientClosedError,
  CommandFailedError,
  ConnectionLostError,
  type HostClient,
  SessionGoneError,
  type SessionHandle,
} from '@agenthost/client';

export const ENDING_PROMPTS = [
  'hello',
  'use-tool',
  'reasoning',
  'stream 300',
  'big-output 60000',
  'usage',
  'what is this',
];
const PROMPTS = [...ENDING_PROMPTS, 'slow'];
/** Roughly what a user does in a minute. */
const PAUSE_MS = { least: 100, most: 900 };
const HANDLES = 3;

/** A user who works in a few of the sessions, comes and goes, until stopped. */
export class Worker {
  readonly client: HostClient;
  readonly handles = new Map<string, SessionHandle>();
  /** Messages that the host said it has, by session. */
  readonly accepted = new Map<string, Set<string>>();
  readonly counts = { accepted: 0, refused: 0, unknown: 0 };
  readonly #uris: readonly string[];

  constructor(client: HostClient, uris: readonly string[]) {
    this.client = client;
    this.#uris = uris;
  }

  async work(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      try {
        await this.#doSomething();
      } catch (error) {
        if (error instanceof ActionRejectedError || error instanceof CommandFailedError) this.counts.refused++;
        else if (isLoss(error)) this.counts.unknown++;
        else throw error;
      }
      const { least, most } = PAUSE_MS;
      await new Promise((resolve) => setTimeout(resolve, least + Math.random() * (most - least)));
    }
  }

  async #doSomething(): Promise<void> {
    const { client } = this;
    if (this.handles.size < HANDLES) return this.#open();
    const session = pick([...this.handles.values()]);
    const kind = Math.random();
    if (kind < 0.2) return this.#message(session, session.send(pick(PROMPTS)));
    if (kind < 0.35) return this.#message(session, session.queue(pick(PROMPTS)));
    if (kind < 0.4) return this.#message(session, session.steer('this way'));
    if (kind < 0.6) return void (await session.cancel());
    if (kind < 0.7) return void (await session.rename(`title ${Math.random()}`));
    if (kind < 0.75) return void (await session.markRead(Math.random() < 0.5));
    if (kind < 0.8) return void (await session.archive(Math.random() < 0.5));
    if (kind < 0.85) return void (await client.listSessions({ limit: 10 }));
    if (kind < 0.9) return void (await client.listSessions({ filter: { text: pick(['hello', 'delta', 'title']) } }));
    if (kind < 0.95) return void (await session.loadEarlierTurns(5));
    session.dispose();
    this.handles.delete(session.uri);
  }

  async #open(): Promise<void> {
    const uri = pick(this.#uris.filter((one) => !this.handles.has(one)));
    this.handles.set(uri, await this.client.openSession(uri));
  }

  async #message(session: SessionHandle, sending: Promise<string>): Promise<void> {
    const id = await sending;
    const ids = this.accepted.get(session.uri) ?? new Set();
    this.accepted.set(session.uri, ids.add(id));
    this.counts.accepted++;
  }
}

/** Its outcome is unknown. */
function isLoss(error: unknown): boolean {
  return (
    error instanceof ConnectionLostError || error instanceof SessionGoneError || error instanceof ClientClosedError
  );
}

function pick<T>(values: readonly T[]): T {
  return values[Math.floor(Math.random() * values.length)] as T;
}
