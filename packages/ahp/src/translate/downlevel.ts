/** Differences for clients of older versions: small patches on frames for 0.9.0. */
import type {
  AhpAction,
  AhpActiveTurn,
  AhpChat,
  AhpInputRequest,
  AhpPart,
  AhpSession,
  AhpSnapshot,
  AhpTurn,
} from '../types.js';
import type { VersionTraits } from '../versions.js';

export function patchSnapshot(snapshot: AhpSnapshot, traits: VersionTraits): AhpSnapshot {
  const { state } = snapshot;
  if ('chats' in state) return { ...snapshot, state: patchSession(state, traits) };
  if ('turns' in state) return { ...snapshot, state: patchChat(state, traits) };
  return snapshot;
}

export function patchAction(action: AhpAction, traits: VersionTraits): AhpAction {
  if (action.type === 'chat/turnsLoaded') {
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

function patchChat(full: AhpChat, traits: VersionTraits): AhpChat {
  const { title, activeTurn, ...chat } = full;
  const turns = chat.turns.map((turn) => patchTurn(turn, traits));
  // No action changes it: when it may be absent, clients take the one in the session's list of chats.
  const named = traits.hasOptionalTitle || title === undefined ? {} : { title };
  if (!activeTurn) return { ...chat, ...named, turns };
  const [parts, questions] = splitQuestions(activeTurn, traits);
  return {
    ...chat,
    ...named,
    turns,
    activeTurn: { ...activeTurn, responseParts: parts },
    ...(questions.length > 0 && { inputRequests: questions }),
  };
}

function patchTurn({ error, ...turn }: AhpTurn, { hasErrorPart }: VersionTraits): AhpTurn {
  if (hasErrorPart) return turn;
  const responseParts = turn.responseParts.filter(({ kind }) => kind !== 'error');
  return { ...turn, responseParts, ...(error && { error }) };
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
