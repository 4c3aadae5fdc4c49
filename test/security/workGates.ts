import type { GateRow } from './gates.js';

const WORK = 'packages/host/src/work';
const HOSTILE = 'packages/host/test/work/hostileRepository.test.ts';
const OF_SESSION = 'packages/host/test/work/sessionWork.test.ts';
const LAND = 'test/e2e/work/land.test.ts';
const OF_LANDING = 'packages/host/test/work/land.test.ts';
const WORKTREES = 'test/e2e/work/worktrees.test.ts';

/** Point 21: what git may run in a session's folder, and where it writes. */
export const WORK_GATES: readonly GateRow[] = [
  [
    '21',
    'hooks of the repository run',
    `${WORK}/gitEnvironment.ts`,
    "['core.hooksPath', devNull] as const",
    "['core.logAllRefUpdates', 'true'] as const",
    HOSTILE,
    'with hooks',
  ],
  [
    '21',
    'filters of the repository run',
    `${WORK}/gitPrograms.ts`,
    '/^filter\\..*\\.(?:clean|smudge|process)$/s',
    '/^filtered\\..*$/s',
    HOSTILE,
    'with programs in its configuration',
  ],
  [
    '21',
    'git runs while a folder waits for trust',
    `${WORK}/sessionWork.ts`,
    "throw new GitError('notTrusted'",
    "if (false) throw new GitError('notTrusted'",
    OF_SESSION,
    'wait for trust',
  ],
  [
    '21',
    'a viewer restores files',
    'packages/protocol/src/tables/commandTable.ts',
    "restoreFiles: { since: 2, role: 'driver' }",
    "restoreFiles: { since: 2, role: 'viewer' }",
    'test/e2e/sessions/changes.test.ts',
    'WORK2',
  ],
  [
    '21',
    'a viewer removes turns',
    'packages/protocol/src/tables/commandTable.ts',
    "rewindSession: { since: 2, role: 'driver' }",
    "rewindSession: { since: 2, role: 'viewer' }",
    'test/e2e/sessions/rewind.test.ts',
    'BACK1',
  ],
  [
    '21',
    'a viewer commits',
    'packages/protocol/src/tables/commandTable.ts',
    "commitChanges: { since: 2, role: 'driver' }",
    "commitChanges: { since: 2, role: 'viewer' }",
    LAND,
    'a viewer is refused',
  ],
  [
    '21',
    'hooks of a remote on this machine run',
    `${WORK}/land/pushChanges.ts`,
    'local > 0 ? RECEIVE_PACK',
    'local < 0 ? RECEIVE_PACK',
    HOSTILE,
    'committed, merged and pushed',
  ],
  [
    '21',
    'merge drivers of the repository run',
    `${WORK}/gitPrograms.ts`,
    '/^merge\\..*\\.driver$/s',
    '/^merged\\..*$/s',
    HOSTILE,
    'committed, merged and pushed',
  ],
  [
    '21',
    'a merge writes to a folder of another repository',
    `${WORK}/land/mergePreview.ts`,
    'if (place?.commonDir !== commonDir || place.top',
    'if (!place || place.top',
    OF_LANDING,
    'writes to no folder',
  ],
  [
    '21',
    'a merge overwrites a file that git ignores',
    `${WORK}/land/moveCheckout.ts`,
    'if (taken.length === 0) return;',
    'if (taken.length >= 0) return;',
    OF_LANDING,
    'LAND4',
  ],
  [
    '21',
    'files are copied through a link of a branch',
    `${WORK}/worktrees/copyIncluded.ts`,
    'if (!(await leadsInside(root, at))) return false;',
    '',
    WORKTREES,
    'nothing through links',
  ],
  [
    '21',
    'a session removes work that exists only in its worktree',
    `${WORK}/worktrees/worktrees.ts`,
    'if (!work || needsFolder(work)) {',
    'if (!work) {',
    WORKTREES,
    'files that no commit has',
  ],
];
