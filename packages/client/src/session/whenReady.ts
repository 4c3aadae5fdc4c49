import type { SessionState, URI } from '@agenthost/protocol';
import type { Connection } from '../connection/connection.js';
import { SessionCreationError, type SessionGoneError } from '../errors.js';
import { firstValue, type Observable } from '../observable.js';

interface AwaitedSession {
  readonly uri: URI;
  readonly confirmed: Observable<SessionState>;
  readonly gone: Observable<SessionGoneError | undefined>;
}

/** Resolves when its agent runs; rejects when it did not start, when the session or the connection is over, and at a signal. */
export async function whenReady(
  { uri, confirmed, gone }: AwaitedSession,
  connection: Connection,
  signals: readonly AbortSignal[],
): Promise<void> {
  const stop = new AbortController();
  const watched = [
    gone.subscribe((error) => stop.abort(error)),
    connection.state.subscribe((current) => {
      if (current.state === 'closed') stop.abort(current.reason);
    }),
  ];
  try {
    await firstValue(confirmed, (state) => isReady(uri, state), AbortSignal.any([stop.signal, ...signals]));
  } finally {
    for (const subscription of watched) subscription.dispose();
  }
}

function isReady(uri: URI, { lifecycle, creationError }: SessionState): boolean {
  if (lifecycle !== 'creationFailed') return lifecycle === 'ready';
  throw new SessionCreationError(uri, creationError ?? { errorType: 'unknown', message: 'the host did not say why' });
}
