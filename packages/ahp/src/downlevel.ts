/** What differs for clients of older versions: small patches on frames that are right for 0.9.0. */
import type {
  AhpAction,
  AhpActiveTurn,
  AhpChat,
  AhpInputRequest,
  AhpPart,
  AhpSession,
  AhpSnapshot,
  AhpTurn,
} from './types.js';
import type { VersionTraits } from './versions.js';

export function patchSnapshot(snapshot: AhpSnapshot, traits: VersionTraits): AhpSnapshot {
  const { state } = snapshot;
  if ('chats' in state) return { ...snapshot, state: patchSession(state, traits) };
  if ('turns' in state) return { ...snapshot, state: patchChat(state, traits) };
  return snapshot;
}

export function patchAction(action: AhpAction, traits: VersionTraits): AhpAction {
  if (action.type === 'chat/turnsLoaded' && !traits.hasErrorPart) {
    return { ...action, turns: (action['turns'] as readonly AhpTurn[]).map((turn) => patchTurn(turn, traits)) };
  }
  if (action.type === 'chat/error' && !traits.hasErrorPart) {
    const { part: _, ...rest } = action;
    return rest;
  }
  return action;
}

/** For a list, whose entries have `workingDirectories` too. */
export function patchFolders<T extends object>(entry: T, { hasFolderList }: VersionTraits): T {
  if (hasFolderList || !('workingDirectories' in entry)) return entry;
  const { workingDirectories: _, ...rest } = entry;
  return rest as T;
}

function patchSession(session: AhpSession, traits: VersionTraits): AhpSession {
  const lifecycle = session.lifecycle === 'failed' ? traits.failedLifecycle : session.lifecycle;
  return patchFolders({ ...session, lifecycle }, traits);
}

function patchChat(chat: AhpChat, traits: VersionTraits): AhpChat {
  if (traits.hasErrorPart) return chat;
  const turns = chat.turns.map((turn) => patchTurn(turn, traits));
  const { activeTurn } = chat;
  if (!activeTurn) return { ...chat, turns };
  const [parts, questions] = splitQuestions(activeTurn, traits);
  return {
    ...chat,
    turns,
    activeTurn: { ...activeTurn, responseParts: parts },
    ...(questions.length > 0 && { inputRequests: questions }),
  };
}

function patchTurn(turn: AhpTurn, { hasErrorPart }: VersionTraits): AhpTurn {
  if (hasErrorPart) return turn;
  return { ...turn, responseParts: turn.responseParts.filter(({ kind }) => kind !== 'error') };
}

function splitQuestions(
  { responseParts }: AhpActiveTurn,
  { hasInputPart }: VersionTraits,
): [readonly AhpPart[], readonly AhpInputRequest[]] {
  if (hasInputPart) return [responseParts, []];
  return [
    responseParts.filter(({ kind }) => kind !== 'inputRequest'),
    responseParts.flatMap((part) => (part.kind === 'inputRequest' ? [part.request] : [])),
  ];
}
