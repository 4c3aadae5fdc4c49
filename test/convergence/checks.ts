import type { SessionState, URI } from '@agenthost/protocol';
import { withNewestTurns } from '@agenthost/protocol/internal';
import { expect } from 'vitest';
import { foldLog } from '../../packages/host/src/sessions/history/foldLog.js';
import type { ActionRecord, LogRecord } from '../../packages/host/src/storage/log/eventLog.js';
import type { Healed } from './heal.js';
import { describe, type Journal, markOf, type Operation } from './journal.js';
import { checkComments } from './review.js';
import type { TestWorld } from './testWorld.js';

/** [WA1] [WA2] At any time a client sees what the host confirmed, with what it is still waiting for on top. */
export function checkPredictions(world: TestWorld): void {
  for (const { clientId, handles } of world.clients) {
    for (const [uri, handle] of handles) {
      const waiting = world.journal.waiting.filter((one) => one.clientId === clientId && one.session === uri);
      const confirmed = handle.confirmed.value;
      if (waiting.length === 0) expect(handle.state.value, `${clientId}: ${uri}, nothing waits`).toBe(confirmed);
      const predicted = Object.assign({}, ...waiting.map(({ predicts }) => predicts)) as Operation['predicts'];
      const { title, isArchived, model } = { ...confirmed.summary, ...predicted };
      expect(handle.state.value.summary, `${clientId}: ${uri}, on top of what the host said`).toMatchObject({
        title,
        isArchived,
        ...(model !== undefined && { model }),
      });
    }
  }
}

/** The states that the host has, before it stops. */
export function hostStates({ sessions }: Healed): ReadonlyMap<URI, SessionState> {
  return new Map([...sessions].map(([uri, { confirmed }]) => [uri, shared(confirmed.value)]));
}

/** [WA4] Every client sees what the host has, and expects nothing else. */
export function checkClients(world: TestWorld, { observer }: Healed, states: ReadonlyMap<URI, SessionState>): void {
  for (const { clientId, connection, handles } of world.clients) {
    expect(connection.root.state.value, `${clientId}: agents`).toEqual(observer.root.state.value);
    for (const [uri, handle] of handles) {
      const state = states.get(uri);
      expect(handle.state.value, `${clientId}: ${uri}, pending`).toBe(handle.confirmed.value);
      const isThere = handle.gone.value === undefined;
      // A handle of the one that was removed stays what it was last.
      if (!isThere && world.journal.mayBeRemade(uri)) continue;
      expect(isThere, `${clientId}: whether ${uri} is there`).toBe(state !== undefined);
      expect(handle.interrupted.value, `${clientId}: ${uri} can be loaded`).toBeUndefined();
      if (!state) continue;
      const confirmed = shared(handle.confirmed.value);
      expect(confirmed, `${clientId}: ${uri}`).toEqual(withNewestTurns(state, confirmed.turns.length));
    }
  }
}

/** [FATE1] Whatever a client has sent over a connection that it still has was answered there, also what it sent a second time. */
export function checkAnswered({ clients, journal }: TestWorld): void {
  for (const { clientId, unanswered } of clients) {
    const left = unanswered.filter(({ session }) => !journal.mayBeRemoved(session));
    expect(left, `${clientId}: sent, and never answered`).toEqual([]);
  }
}

/** What is on disk when the host has ended is what all clients saw, and has every accepted action once. */
export async function checkLogs(world: TestWorld, states: ReadonlyMap<URI, SessionState>): Promise<void> {
  const storage = world.storage();
  for (const [uri, state] of states) {
    const stored = await storage.open(uri.slice(uri.indexOf('/') + 1));
    // A removal whose sender has given up may still arrive after the states were read.
    if (!stored && world.journal.mayBeRemoved(uri)) continue;
    if (!stored) expect.fail(`${uri} is not on disk`);
    const { records } = await stored.log.loadAll();
    const folded = await foldLog(each(records));
    await stored.fs.dispose();
    expect(folded && shared(folded.state), `${uri}: the log`).toEqual(state);
    const actions = records.filter((record) => record.type === 'action');
    checkNumbers(uri, records, world.hasOneCounter);
    const operations = world.journal.operations.filter(({ session }) => session === uri);
    const isRemade = world.journal.mayBeRemade(uri);
    checkOnce(world.journal, operations, actions, isRemade);
    checkMessages(operations, state, isRemade);
    checkComments(world.journal, operations, state);
  }
  for (const operation of world.journal.operations) {
    const { kind, session, outcome } = operation;
    if (outcome.state !== 'accepted') continue;
    if (kind === 'remove' && states.has(session) && !world.journal.mayBeRemade(session))
      expect.fail(`${describe(operation)}, but the session is still there`);
    if (!states.has(session) && !world.journal.mayBeRemoved(session)) {
      expect.fail(`${describe(operation)}, but the host has no such session`);
    }
  }
}

/** [ENV1] One order, across restarts; of several hosts each counts for itself. */
function checkNumbers(uri: URI, records: readonly LogRecord[], hasOneCounter: boolean): void {
  const gap = records.findIndex(({ n }, index) => n !== index + 1);
  if (gap !== -1) expect.fail(`${uri}: record ${gap + 1} of the log has the number ${records[gap]?.n}`);
  if (!hasOneCounter) return;
  const actions = records.filter((record) => record.type === 'action');
  const wrong = actions.find(({ serverSeq }, index) => serverSeq <= (actions[index - 1]?.serverSeq ?? 0));
  if (wrong) expect.fail(`${uri}: serverSeq ${wrong.serverSeq} does not rise`);
}

/**
 * [ONCE1] Each number of a client at most once; what the client was told is accepted is there, what is refused is not. Of a
 * session that was made again, what was accepted may have been of the one before.
 */
function checkOnce(
  { duplicated }: Journal,
  operations: readonly Operation[],
  actions: readonly ActionRecord[],
  isRemade: boolean,
): void {
  const count = new Map<string, number>();
  for (const { origin } of actions) {
    if (!origin) continue;
    const key = `${origin.clientId}#${origin.clientSeq}`;
    count.set(key, (count.get(key) ?? 0) + 1);
  }
  for (const [key, times] of count) if (times > 1) expect.fail(`${key} is in the log ${times} times`);
  for (const operation of operations) {
    const { clientId, clientSeq, outcome } = operation;
    if (clientSeq === undefined) continue;
    const key = `${clientId}#${clientSeq}`;
    const times = count.get(key) ?? 0;
    if (outcome.state === 'accepted' && times !== 1 && !isRemade) {
      expect.fail(`${describe(operation)}, but not in the log`);
    }
    // A number that was refused may be used again by a client that has forgotten how far it counted.
    const isUsedAgain = operations.some(
      (other) => other !== operation && other.clientId === clientId && other.clientSeq === clientSeq,
    );
    if (outcome.state === 'refused' && times > 0 && !duplicated.has(key) && !isUsedAgain) {
      expect.fail(`${describe(operation)}, but it is in the log`);
    }
  }
  for (const operation of operations.filter(({ kind }) => kind === 'rename')) {
    const times = actions.filter(
      ({ action }) => action.type === 'session/titleChanged' && action.title === `title ${operation.mark}`,
    ).length;
    const must = operation.outcome.state === 'accepted' && !isRemade;
    expect(times, `${describe(operation)}: titles`).toBeOneOf(must ? [1] : [0, 1]);
  }
}

/** [FATE1] Every message that the host took is in one place, once; never in two. */
function checkMessages(operations: readonly Operation[], state: SessionState, isRemade: boolean): void {
  const marks = textsOf(state).map(markOf);
  for (const operation of operations) {
    const { kind, mark, outcome } = operation;
    if (kind !== 'send' && kind !== 'queue' && kind !== 'steer') continue;
    const times = marks.filter((found) => found === mark).length;
    const takenBack = operations.some((other) => {
      return other.kind === 'takeBack' && other.mark === mark && other.outcome.state !== 'refused';
    });
    const must = outcome.state === 'accepted' && !takenBack && !isRemade;
    expect(times, `${describe(operation)}: how often it is there`).toBeOneOf(must ? [1] : [0, 1]);
  }
}

function textsOf({ turns, activeTurn, steeringMessage, queuedMessages = [] }: SessionState): readonly string[] {
  const all = [...turns, ...(activeTurn ? [activeTurn] : [])];
  const steering = all.flatMap(({ responseParts }) => responseParts.filter((part) => part.kind === 'steering'));
  const pending = [...(steeringMessage ? [steeringMessage] : []), ...queuedMessages];
  return [...all, ...steering, ...pending].map(({ userMessage }) => userMessage.text);
}

/** Without who looks on and which host has it: that is not part of what is kept, and is told a little later. */
function shared({ clients: _, ...state }: SessionState): SessionState {
  const { host: __, ...metadata } = state.summary.metadata ?? {};
  return { ...state, summary: { ...state.summary, metadata } };
}

async function* each(records: readonly LogRecord[]): AsyncGenerator<LogRecord> {
  yield* records;
}
