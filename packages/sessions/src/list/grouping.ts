import { type Session, SessionStatus } from '../session.js';
import { UNKNOWN_WORKSPACE } from '../workspace/workspaceLabel.js';

export interface GroupOf {
  readonly key: string;
  readonly label: string;
  /** Groups with a lower rank come first; those of one rank are in the order of their first sessions. */
  readonly rank: number;
}

/** Says which group a session is in. Called for each change of the session, and only then. */
export type Grouping = (session: Session, now: Date) => GroupOf;

export const groupings = {
  /** By the workspace's label; those that have none come last. Sessions with one prompt are together. */
  workspace: ({ workspace, several }) => {
    const group = several?.value;
    if (group) return { key: `several ${group.members[0]?.session}`, label: group.title, rank: 0 };
    const label = workspace.value?.label.trim() ?? '';
    if (label === '') return { key: '', label: UNKNOWN_WORKSPACE, rank: 1 };
    return { key: label, label, rank: 0 };
  },

  status: ({ status }) => STATUS_GROUPS[status.value],

  /** By the day of the last change, as days are here. */
  time: ({ updatedAt }, now) => {
    const days = dayOf(now) - dayOf(updatedAt.value);
    return TIME_GROUPS.find(({ upTo }) => days <= upTo)?.group ?? OLDER;
  },

  none: () => EVERYTHING,
} as const satisfies Readonly<Record<string, Grouping>>;

export type GroupingName = keyof typeof groupings;

const EVERYTHING: GroupOf = { key: '', label: '', rank: 0 };
const OLDER: GroupOf = { key: 'older', label: 'Older', rank: 4 };

const TIME_GROUPS: readonly { readonly upTo: number; readonly group: GroupOf }[] = [
  { upTo: 0, group: { key: 'today', label: 'Today', rank: 0 } },
  { upTo: 1, group: { key: 'yesterday', label: 'Yesterday', rank: 1 } },
  { upTo: 7, group: { key: 'week', label: 'Last 7 days', rank: 2 } },
  { upTo: 30, group: { key: 'month', label: 'Last 30 days', rank: 3 } },
];

const STATUS_GROUPS: Readonly<Record<SessionStatus, GroupOf>> = {
  [SessionStatus.NeedsInput]: { key: 'needsInput', label: 'Needs input', rank: 0 },
  [SessionStatus.InProgress]: { key: 'inProgress', label: 'Running', rank: 1 },
  [SessionStatus.Error]: { key: 'error', label: 'Failed', rank: 2 },
  [SessionStatus.Untitled]: { key: 'untitled', label: 'Drafts', rank: 3 },
  [SessionStatus.Completed]: { key: 'completed', label: 'Done', rank: 4 },
};

function dayOf(date: Date): number {
  return Math.floor((date.getTime() - date.getTimezoneOffset() * 60_000) / 86_400_000);
}
