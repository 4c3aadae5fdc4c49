import type { Disposable, Observable } from '@agenthost/client';
import type { Session, SessionReplacement, SessionsChangeEvent, SessionsProvider, URI } from '@agenthost/sessions';

/** A provider for one case, without sessions, or without any that the case would affect. */
export interface ProviderFixture {
  readonly provider: SessionsProvider;
  /** A value that `resolveWorkspace` accepts. */
  readonly workspaceUri: URI;
  /** A message for sessions of the first type. Defaults to "hello". */
  readonly query?: string;
  /** A model of the first session type; without one `setModel` is not checked. */
  readonly modelId?: string;
  /** Makes the provider refuse the next message to a new session; without it that is not checked. */
  readonly refuseNext?: () => void;
  /** Sets the mode of the session's agent, or none; without it that is not checked. */
  readonly setMode?: (session: Session, modeId: string | undefined) => Promise<void>;
  /** A workspace that needs trust, and a function that trusts it when a session was sent; without it that is not checked. */
  readonly trust?: TrustFixture;
  dispose?(): void | Promise<void>;
}

export interface TrustFixture {
  readonly untrustedUri: URI;
  trust(session: Session): Promise<void>;
}

/** The tools of a case. */
export interface ContractTools extends Omit<ProviderFixture, 'query' | 'dispose'> {
  readonly query: string;
  /** Every event since the case began, oldest first. */
  readonly events: readonly ContractEvent[];
  /** A session that was not sent yet. */
  createNew(): Promise<Session>;
  /** A session with one chat. */
  create(): Promise<Session>;
  /** Waits until the observable has such a value. */
  until<T>(what: string, observable: Observable<T>, fits: (value: T) => boolean): Promise<T>;
  /** Waits until there was such an event. */
  untilEvent(what: string, fits: (event: ContractEvent) => boolean): Promise<ContractEvent>;
}

export type ContractEvent =
  | ({ readonly type: 'changed' } & SessionsChangeEvent)
  | ({ readonly type: 'replaced'; readonly listed: readonly string[] } & SessionReplacement);

export function contractTools(
  fixture: ProviderFixture,
  timeoutMs: number,
): { readonly tools: ContractTools; dispose(): void } {
  const { provider, workspaceUri, query = 'hello' } = fixture;
  const events: ContractEvent[] = [];
  const waiting = new Set<() => void>();
  const record = (event: ContractEvent) => {
    events.push(event);
    for (const check of [...waiting]) check();
  };
  const following: (Disposable | undefined)[] = [
    provider.onDidChangeSessions((event) => record({ type: 'changed', ...event })),
    provider.onDidReplaceSession?.((event) => {
      const listed = provider.getSessions().map(({ sessionId }) => sessionId);
      record({ type: 'replaced', ...event, listed });
    }),
  ];
  const wait = <T>(what: string, follow: (check: () => void) => Disposable, look: () => T | undefined): Promise<T> =>
    new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        listening.dispose();
        settle();
      };
      const timer = setTimeout(() => finish(() => reject(new Error(`${what} did not happen`))), timeoutMs);
      const check = () => {
        const found = look();
        if (found !== undefined) finish(() => resolve(found));
      };
      const listening = follow(check);
      check();
    });
  const createNew = () => provider.createNewSession(provider.resolveWorkspace(workspaceUri));
  const tools: ContractTools = {
    ...fixture,
    query,
    events,
    createNew,
    create: async () => provider.sendAndCreateChat((await createNew()).sessionId, { query }),
    until: async (what, observable, fits) => {
      const { value } = await wait(
        what,
        (check) => observable.subscribe(check),
        () => (fits(observable.value) ? { value: observable.value } : undefined),
      );
      return value;
    },
    untilEvent: (what, fits) =>
      wait(
        what,
        (check) => {
          waiting.add(check);
          return { dispose: () => waiting.delete(check) };
        },
        () => events.find(fits),
      ),
  };
  return {
    tools,
    dispose: () => {
      for (const one of following) one?.dispose();
    },
  };
}

export function expectEqual(what: string, actual: unknown, expected: unknown): void {
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (got !== wanted) throw new Error(`${what}: expected ${wanted?.slice(0, 500)}, got ${got?.slice(0, 500)}`);
}

export async function expectRejection(what: string, run: () => Promise<unknown>): Promise<void> {
  let promise: Promise<unknown>;
  try {
    promise = run();
  } catch (error) {
    throw new Error(`${what} threw instead of giving back a promise that rejects`, { cause: error });
  }
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  if (!outcome) throw new Error(`${what} should have been refused`);
  if (!(outcome.error instanceof Error) || outcome.error.message === '') {
    throw new Error(`${what} was refused with ${String(outcome.error)} instead of an error that says why`);
  }
}
