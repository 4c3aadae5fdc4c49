import {
  type Author,
  ERROR_CODE,
  type RestoreFilesResult,
  type RewindSessionParams,
  type RewindSessionResult,
  type Turn,
  type UserMessage,
} from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import { TurnRunning } from '../work/gitError.js';
import { restoreNotice, rewindNotice } from '../work/restoreNotice.js';
import { readTurnsPage } from './history/readTurnsPage.js';
import { endedTurns } from './history/turnIndex.js';
import type { Session } from './session.js';
import { TURNS_IN_MEMORY } from './sessionLimits.js';
import type { SessionParts } from './sessionParts.js';
import type { SessionServices } from './sessionServices.js';
import type { AgentRun } from './turn/agentRun.js';
import { notStored } from './turn/notStored.js';

interface RewindOptions {
  readonly session: Session;
  readonly parts: Pick<SessionParts, 'store' | 'stored' | 'history' | 'work'>;
  readonly services: Pick<SessionServices, 'index' | 'publisher' | 'sequence'>;
  readonly run: AgentRun | undefined;
}

/** An agent forgets so many messages by itself; beyond that it is told what remains. */
const MAX_MESSAGES = 1_000;

interface Removal {
  readonly ids: readonly string[];
  /** Of those that people wrote; `undefined` when they are too many. */
  readonly messages: readonly UserMessage[] | undefined;
}

/** Takes the newest turns off a conversation, so that it goes on from before. The record of them stays in the log. */
export function rewindable(options: RewindOptions): NonNullable<SessionParts['work']['rewind']> {
  const { session, parts, services, run } = options;
  const { store, work } = parts;
  return async ({ turnId, restoreFiles }: RewindSessionParams, by: Author): Promise<RewindSessionResult> => {
    mustRest(session);
    const removal = await removalFrom(parts, turnId);
    if (!removal) throw new RpcError(ERROR_CODE.notFound, `no ended turn ${turnId} in ${session.uri}`);
    const kept = await readTurnsPage(store.state, parts.history, { before: turnId, limit: TURNS_IN_MEMORY });
    const number = endedTurns(store.state) - removal.ids.length + 1;
    const restored = restoreFiles && (await work.restore({ toTurnId: turnId }, by, true));
    const isSame = store.state.turns.at(-1)?.id === removal.ids.at(-1);
    if (!isSame || !isAtRest(session)) {
      if (restored) work.tell(restoreNotice({ by, count: restored.count, turn: { number } }));
      throw new TurnRunning(`Somebody sent a message in this moment: no turn was removed.${filesAre(restored)}`);
    }
    store.dispatch({ type: 'session/truncated', turns: number - 1 }, { mustBeStored: true });
    store.fill(kept?.turns ?? []);
    const forgotten = run?.rewind(removal.messages);
    leaveBehind(options);
    await parts.stored.log.flush().catch((error: unknown) => {
      throw new RpcError(ERROR_CODE.internalError, notStored(error).rejectionReason, { cause: error });
    });
    for (const id of removal.ids) services.index.forgetTurn(store.uri, id);
    work.tell(rewindNotice({ by, removed: removal.ids.length, number, restored: restored?.count }));
    await forgotten;
    return { removed: removal.ids.length, ...(restored && { restored }) };
  };
}

function filesAre(restored: RestoreFilesResult | undefined): string {
  return restored && restored.count > 0 ? ' The files were restored, which can be undone.' : '';
}

function isAtRest({ state, isAtRest: rests }: Session): boolean {
  return state.lifecycle === 'ready' && rests;
}

function mustRest(session: Session): void {
  if (session.awayAt !== undefined) {
    throw new RpcError(ERROR_CODE.invalidRequest, `This session is on ${session.awayAt}: it can only be read here.`);
  }
  if (isAtRest(session)) return;
  throw new TurnRunning('A conversation does not go back while a turn runs. Stop the turn, or wait for its end.');
}

/** The turn and all after it, the oldest first. */
async function removalFrom(
  { store, history }: Pick<SessionParts, 'store' | 'history'>,
  turnId: string,
): Promise<Removal | undefined> {
  const { state } = store;
  const ids: string[] = [];
  let messages: UserMessage[] | undefined = [];
  let page: { readonly turns: readonly Turn[]; readonly hasMore: boolean } | undefined = {
    turns: state.turns,
    hasMore: (state.earlierTurns ?? 0) > 0,
  };
  while (page) {
    for (const { id, userMessage, origin, responseParts } of page.turns.toReversed()) {
      ids.push(id);
      const steered = responseParts.flatMap((part) => (part.kind === 'steering' ? [part.userMessage] : []));
      messages?.push(...steered.toReversed(), ...(origin === 'agent' ? [] : [userMessage]));
      if (messages && messages.length > MAX_MESSAGES) messages = undefined;
      if (id === turnId) return { ids: ids.reverse(), messages: messages?.reverse() };
    }
    const before: string | undefined = ids.at(-1);
    if (!page.hasMore || before === undefined) return undefined;
    page = await readTurnsPage(state, history, { before, limit: TURNS_IN_MEMORY });
  }
  return undefined;
}

/** Clients of version 1 have no word for it: they take the session anew, and so does who was not there. */
function leaveBehind({ parts: { store }, services: { publisher, sequence } }: RewindOptions): void {
  publisher.end(store.uri, sequence.current);
  for (const subscriber of store.subscribers) {
    if (subscriber.protocolVersion < 2) subscriber.cutOff('turns were removed from a session');
  }
}
