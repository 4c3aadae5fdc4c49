import type { HostClient, SessionHandle } from '@agenthost/client';
import { CommandFailedError, SessionGoneError } from '@agenthost/client';
import type { SessionState, URI } from '@agenthost/protocol';
import { HICCUP } from '../support/storage/flakyStorage.js';
import { describe } from './journal.js';
import { release } from './play.js';
import type { TestWorld } from './testWorld.js';

/** What never ends by itself, and is cancelled. */
const ENDLESS = /^(slow|steer|hang)\b/;

/** The host's sessions, seen by a client that was never disconnected. */
export interface Healed {
  readonly observer: HostClient;
  readonly sessions: ReadonlyMap<URI, SessionHandle>;
}

/** Mends every connection, answers every prompt, and lets everything end that was begun. */
export async function heal(world: TestWorld, timeoutMs: number): Promise<Healed> {
  world.journal.note('heal');
  for (const client of world.clients) {
    release(client);
    world.setOnline(client, true);
  }
  await world.mend();
  const observer = await world.observer();
  const sessions = new Map<URI, SessionHandle>();
  const drivers: { dispose(): void }[] = [];
  const openNew = async () => {
    for (const uri of world.sessions) {
      const known = sessions.get(uri);
      // One that is gone may have been made again.
      const session = known && known.gone.value === undefined ? undefined : await openIfThere(observer, uri);
      if (!session) continue;
      sessions.set(uri, session);
      drivers.push(drive(session, world));
    }
  };
  const isQuiet = () => world.journal.waiting.length === 0 && [...sessions.values()].every(isAtRest);
  const allHandles = () =>
    [sessions, ...world.clients.map((client) => client.handles)].flatMap((own) => [...own.values()]);
  const heard = () => world.heard([observer, ...world.clients.map(({ connection }) => connection)], allHandles());
  const statesNow = () => allHandles().map(({ confirmed }) => confirmed.value);
  const healing = async () => {
    let before: readonly SessionState[];
    do {
      await openNew();
      await world.journal.allSettled();
      // Again: sessions may have been created while this waited.
      await openNew();
      await Promise.all([...sessions.values()].map(comeToRest));
      await heard();
      before = statesNow();
      // What a client that has crashed had sent may arrive just now: then some have heard of it, and others not yet.
      await heard();
    } while (!isQuiet() || !isSame(before, statesNow()));
    for (const driver of drivers) driver.dispose();
    for (const [uri, { gone }] of sessions) if (gone.value) sessions.delete(uri);
  };
  await within(timeoutMs, healing(), () => stuck(world, sessions));
  return { observer, sessions };
}

function isSame(before: readonly SessionState[], now: readonly SessionState[]): boolean {
  return before.length === now.length && before.every((state, at) => state === now[at]);
}

async function openIfThere(observer: HostClient, uri: URI): Promise<SessionHandle | undefined> {
  try {
    return await observer.openSession(uri, { turns: 200 });
  } catch (error) {
    if (error instanceof SessionGoneError) return undefined;
    // Shared with a client that had begun to open it before its files could be read again.
    if (error instanceof CommandFailedError && error.message.includes(HICCUP)) return openIfThere(observer, uri);
    throw error;
  }
}

function isAtRest({ confirmed, gone }: SessionHandle): boolean {
  return gone.value !== undefined || isIdle(confirmed.value);
}

async function comeToRest(session: SessionHandle): Promise<void> {
  if (isAtRest(session)) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => {
    if (isAtRest(session)) resolve();
  };
  const watched = [session.confirmed.subscribe(look), session.gone.subscribe(look)];
  await promise;
  for (const subscription of watched) subscription.dispose();
}

function isIdle(state: SessionState): boolean {
  return state.lifecycle === 'ready' && !state.activeTurn && !hasPending(state);
}

function hasPending({ steeringMessage, queuedMessages }: SessionState): boolean {
  return steeringMessage !== undefined || queuedMessages !== undefined;
}

/** Reacts to every change until it is disposed. */
function drive(session: SessionHandle, { journal }: TestWorld): { dispose(): void } {
  const done = new Set<string>();
  const once = (kind: string, key: string, act: () => Promise<unknown>) => {
    // A turn that was cancelled at one host may have ended with an error at the next.
    if (done.has(`${kind} ${key}`)) return;
    done.add(`${kind} ${key}`);
    journal.add({ kind, clientId: 'observer', session: session.uri }, act());
  };
  const look = () => {
    if (session.gone.value) return;
    const { activeTurn, turns } = session.confirmed.value;
    for (const confirmation of session.pendingConfirmations.value) {
      once('confirm', confirmation.toolCall.toolCallId, () => confirmation.approve());
    }
    for (const permission of session.pendingPermissions.value) {
      once('permit', permission.request.requestId, () => permission.answer({ approved: true }));
    }
    if (activeTurn && ENDLESS.test(activeTurn.userMessage.text)) once('cancel', activeTurn.id, () => session.cancel());
    // After an error the queue waits for another message.
    const last = turns.at(-1);
    if (!activeTurn && last?.state === 'error' && hasPending(session.confirmed.value)) {
      once('nudge', last.id, () => session.queue('echo nudge'));
    }
  };
  look();
  return session.confirmed.subscribe(look);
}

async function within(timeoutMs: number, work: Promise<void>, what: () => string): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`not settled after ${timeoutMs} ms: ${what()}`)), timeoutMs);
  try {
    await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function stuck(world: TestWorld, sessions: ReadonlyMap<URI, SessionHandle>): string {
  const waiting = world.journal.waiting.map(describe);
  const busy = [...sessions].flatMap(([uri, session]) => {
    if (isAtRest(session)) return [];
    const { lifecycle, activeTurn, steeringMessage, queuedMessages } = session.confirmed.value;
    return [`${uri}: ${JSON.stringify({ lifecycle, activeTurn, steeringMessage, queuedMessages })}`];
  });
  const apart = world.clients.flatMap(({ clientId, connection }) => {
    const { state } = connection.connection.value;
    return state === 'connected' ? [] : [`${clientId} is ${state}`];
  });
  return [...waiting, ...busy, ...apart].join('; ');
}
