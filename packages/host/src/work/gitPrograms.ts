import type { Setting } from './gitEnvironment.js';
import { GitError } from './gitError.js';

/** More than any honest repository has; each is two variables of git's environment. */
const MAX_OVERRIDES = 256;

export interface ConfigEntry {
  readonly scope: string;
  /** Section and last part in lower case, as git prints it. */
  readonly key: string;
  /** Absent for a key without `=`. */
  readonly value: string | undefined;
}

/** The output of `git config --list --show-scope -z`. */
export function parseConfigList(output: string): readonly ConfigEntry[] {
  const parts = output.split('\0');
  const entries: ConfigEntry[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const entry = parts[index + 1] ?? '';
    const end = entry.indexOf('\n');
    entries.push({
      scope: parts[index] ?? '',
      key: end === -1 ? entry : entry.slice(0, end),
      value: end === -1 ? undefined : entry.slice(end + 1),
    });
  }
  return entries;
}

/**
 * Keys that name a program, and what they get instead when a repository sets them: the user's own value if there is one, else
 * something that does nothing, or git's default.
 */
const PROGRAM_KEYS: readonly (readonly [pattern: RegExp, neutral: string])[] = [
  [/^filter\..*\.(?:clean|smudge|process)$/s, ''],
  [/^filter\..*\.required$/s, 'false'],
  [/^diff\.external$/, ''],
  [/^diff\..*\.(?:command|textconv)$/s, ''],
  // Then a file with that driver conflicts.
  [/^merge\..*\.driver$/s, 'false'],
  [/^core\.sshcommand$/, 'ssh'],
  [/^core\.(?:editor|pager|askpass|gitproxy)$/, ''],
  [/^core\.alternaterefscommand$/, 'true'],
  [/^sequence\.editor$/, ':'],
  [/^interactive\.difffilter$/, ''],
  [/^gpg\.(?:openpgp\.)?program$/, 'gpg'],
  [/^gpg\.x509\.program$/, 'gpgsm'],
  [/^gpg\.ssh\.program$/, 'ssh-keygen'],
  [/^gpg\..*(?:program|defaultkeycommand)$/s, ''],
  [/^remote\..*\.uploadpack$/s, 'git-upload-pack'],
  [/^remote\..*\.receivepack$/s, 'git-receive-pack'],
  [/^remote\..*\.vcs$/s, 'none'],
  [/^submodule\..*\.update$/s, 'none'],
  [/^trailer\..*\.(?:command|cmd)$/s, 'true'],
  [/^gc\.recentobjectshook$/, ''],
  [/^uploadpack\.packobjectshook$/, ''],
  [/^(?:difftool|mergetool|browser|man|guitool|tar)\..*\.(?:cmd|path|command)$/s, ''],
  [/^pager\./, 'false'],
  // git-lfs, which the user may have as a filter, reads the repository's configuration as well.
  [/^lfs\.extension\..*\.(?:clean|smudge)$/s, ''],
  [/^lfs\.customtransfer\..*\.(?:path|args)$/s, ''],
  [/^lfs\.(?:.*\.)?standalonetransferagent$/s, ''],
];

const LFS_REQUIRED = 'filter.lfs.required';

/** What `git lfs install --local` writes: a program of the user's PATH, by its own name. */
const OWN_FILTERS: ReadonlyMap<string, string> = new Map([
  ['filter.lfs.clean', 'git-lfs clean -- %f'],
  ['filter.lfs.smudge', 'git-lfs smudge -- %f'],
  ['filter.lfs.process', 'git-lfs filter-process'],
  [LFS_REQUIRED, 'true'],
]);

const CREDENTIAL_HELPER = /^credential\.(?:.*\.)?helper$/s;

/** Settings that take every program of the repository's own configuration away. The user's configuration stays. */
export function withoutPrograms(entries: readonly ConfigEntry[]): readonly Setting[] {
  const own = new Map<string, string>();
  const foreign = new Map<string, string>();
  for (const { scope, key, value } of entries) {
    if (scope === 'system' || scope === 'global') own.set(key, value ?? 'true');
    else if (scope !== 'command' && (value === undefined || OWN_FILTERS.get(key) !== value))
      foreign.set(key, value ?? 'true');
  }
  // A filter that was taken away must not be required: git would check nothing out.
  const isLfsForeign = [...foreign.keys()].some((key) => OWN_FILTERS.has(key));
  if (isLfsForeign && repositoryValue(entries, LFS_REQUIRED) !== undefined) foreign.set(LFS_REQUIRED, 'true');
  const settings: Setting[] = [];
  for (const key of foreign.keys()) {
    const known = PROGRAM_KEYS.find(([pattern]) => pattern.test(key));
    if (known) settings.push([key, own.get(key) ?? known[1]]);
  }
  const helpers = [...foreign.keys()].filter((key) => CREDENTIAL_HELPER.test(key));
  if (helpers.length > 0) {
    // An empty helper forgets those before it; the user's come again.
    settings.push(...helpers.map((key): Setting => [key, '']));
    for (const { scope, key, value } of entries) {
      if ((scope === 'system' || scope === 'global') && CREDENTIAL_HELPER.test(key)) settings.push([key, value ?? '']);
    }
  }
  if (settings.length > MAX_OVERRIDES) {
    throw new GitError(
      'refused',
      `The repository's configuration names more than ${MAX_OVERRIDES} programs, so git is not run in it. Remove them from .git/config.`,
    );
  }
  return settings;
}

/** The last value that the repository itself gives a key. */
export function repositoryValue(entries: readonly ConfigEntry[], key: string): string | undefined {
  return entries.findLast((entry) => entry.key === key && (entry.scope === 'local' || entry.scope === 'worktree'))
    ?.value;
}
