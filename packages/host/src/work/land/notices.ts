import type { Author } from '@agenthost/protocol';

const SHORT = 7;

function who({ name }: Author): string {
  return name ?? 'Somebody';
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? `1 ${one}` : `${count} ${many}`;
}

interface CommitNotice {
  readonly by: Author;
  readonly count: number;
  readonly commit: string;
}

/** What the conversation says when somebody has committed. */
export function commitNotice({ by, count, commit }: CommitNotice): string {
  return `${who(by)} committed ${counted(count, 'file')} as ${commit.slice(0, SHORT)}.`;
}

interface MergeNotice {
  readonly by: Author;
  readonly branch: string;
  readonly into: string;
  readonly commit: string;
  readonly isSquashed: boolean;
}

export function mergeNotice({ by, branch, into, commit, isSquashed }: MergeNotice): string {
  return `${who(by)} ${isSquashed ? 'squashed' : 'merged'} ${branch} into ${into} as ${commit.slice(0, SHORT)}.`;
}

export function pushNotice(by: Author, branch: string, remote: string): string {
  return `${who(by)} pushed ${branch} to ${remote}.`;
}

export function requestNotice(by: Author, url: string): string {
  return `${who(by)} opened a pull request: ${url}`;
}
