import { type LeftWorktree, leftWorktrees } from '@agenthost/host/maintenance';
import { safeLine } from '../text/safeText.js';
import { type Finding, ok } from './finding.js';

const check = 'worktrees';
const MAX_SHOWN = 20;

/** Those that no session works in. Nothing is removed that only they have. */
export async function checkWorktrees(stateDir: string, isHostRunning: boolean): Promise<Finding[]> {
  const left = await leftWorktrees(stateDir);
  if (left === undefined || left.length === 0) return [];
  const shown = left.slice(0, MAX_SHOWN).map((one) => findingOf(one, isHostRunning));
  const more = left.length - shown.length;
  return more > 0 ? [...shown, { check, level: 'warning', what: `${more} more worktrees have no session.` }] : shown;
}

function findingOf(left: LeftWorktree, isHostRunning: boolean): Finding {
  const { path, branch, repository } = left.worktree;
  const name = `${safeLine(path)} (branch ${safeLine(branch)} of ${safeLine(repository)})`;
  const lost = wordsOf(left);
  if (lost === undefined) {
    return {
      check,
      level: 'warning',
      what: `No session works in ${name}, and nothing would be lost with it.`,
      fix: isHostRunning ? 'Stop the host, then run agenthost doctor --fix.' : 'agenthost doctor --fix removes it.',
      ...(!isHostRunning && { mend: () => left.clean() }),
    };
  }
  return {
    ...ok(check, `No session works in ${name}; it is kept for ${lost}.`),
    fix: `To remove it with that: git -C ${quoted(repository)} worktree remove --force --force ${quoted(path)}`,
  };
}

/** What only the worktree has, in words. Its branch keeps commits. */
function wordsOf({ isThere, work }: LeftWorktree): string | undefined {
  if (!isThere) return undefined;
  if (!work) return 'what git does not tell';
  const count = (number: number, one: string) => (number > 0 ? [`${number} ${one}${number === 1 ? '' : 's'}`] : []);
  const parts = [
    ...count(work.uncommitted, 'file').map((files) => `${files} that no commit has`),
    ...count(work.loose, 'commit').map((commits) => `${commits} of no branch`),
    ...(work.hasSubmodules ? ['its submodules'] : []),
  ];
  return parts.length === 0 ? undefined : parts.join(' and ');
}

/** For a shell. */
function quoted(path: string): string {
  const plain = safeLine(path);
  return /^[\w./-]+$/.test(plain) ? plain : `'${plain.replaceAll("'", "'\\''")}'`;
}
