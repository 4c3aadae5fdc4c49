// Says which tests belong to the files that differ from a commit: `npm test -- --changed`, or `--changed main`.
import { spawnSync } from 'node:child_process';

/** The arguments for vitest. `undefined` when no test belongs to the changes. */
export function changedTests(root, base = 'HEAD') {
  const files = [
    ...git(root, ['diff', '--name-only', '--diff-filter=d', base]),
    ...git(root, ['ls-files', '--others', '--exclude-standard']),
  ];
  // Tests of the packages themselves; those of all packages together take minutes, and CI runs them.
  const packages = new Set(files.flatMap((file) => /^(?:packages|apps)\/[\w-]+\//.exec(file)?.[0] ?? []));
  const tests = files.filter((file) => /^test\/.*\.test\.ts$/.test(file));
  const filters = [...packages, ...tests];
  return filters.length === 0 ? undefined : [`--changed=${base}`, '--passWithNoTests', ...filters];
}

function git(root, args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr.trim()}`);
  return stdout.split('\n').filter((line) => line !== '');
}
