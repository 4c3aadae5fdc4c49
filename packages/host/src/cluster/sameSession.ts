import type { SessionAction, SessionState } from '@agenthost/protocol';

/** The newest ended turns: what was told and not stored can only be there. */
const COMPARED_TURNS = 4;

/** What is over with the run of a host is in no log: a new owner begins with none of it. */
const NOTHING_OF_THE_RUN = { clients: undefined, approvals: undefined, clientTools: undefined };

type OfTheRun = Pick<SessionState, 'clients' | 'approvals' | 'clientTools'>;
type Unstamped<T> = T extends unknown ? Omit<T, 'session' | 'at'> : never;

/**
 * Whether clients that know the first one know the second. A host may have more of the older turns in memory than another, and those
 * never change.
 */
export function isSameSession(a: SessionState, b: SessionState): boolean {
  const [first, second] = [a, b].map(({ turns, earlierTurns = 0, ...rest }) => ({
    ...rest,
    ...NOTHING_OF_THE_RUN,
    count: turns.length + earlierTurns,
  }));
  const compared = Math.min(a.turns.length, b.turns.length);
  const [mine, theirs] = [a, b].map(({ turns }) => turns.slice(turns.length - compared));
  const ids = (turns: SessionState['turns'] = []) => turns.map(({ id }) => id);
  return (
    isSame(first, second) &&
    isSame(ids(mine), ids(theirs)) &&
    isSame(mine?.slice(-COMPARED_TURNS), theirs?.slice(-COMPARED_TURNS))
  );
}

/** What tells clients that know the first one of what only the run of the owner knows. */
export function ofTheRun(from: OfTheRun, to: OfTheRun): readonly Unstamped<SessionAction>[] {
  const { clients = [], approvals = [], clientTools = [] } = to;
  return [
    ...(isSame(from.clients ?? [], clients) ? [] : [{ type: 'session/clientsChanged' as const, clients }]),
    ...(isSame(from.approvals ?? [], approvals) ? [] : [{ type: 'session/approvalsChanged' as const, approvals }]),
    ...(isSame(from.clientTools ?? [], clientTools)
      ? []
      : [{ type: 'session/clientToolsChanged' as const, clientTools }]),
  ];
}

/** As JSON values: what is undefined is not there. */
function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [ours, theirs] = [entriesOf(a), new Map(entriesOf(b))];
  return ours.length === theirs.size && ours.every(([key, value]) => theirs.has(key) && isSame(value, theirs.get(key)));
}

function entriesOf(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value).filter(([, inner]) => inner !== undefined);
}
