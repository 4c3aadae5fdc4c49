import { runGit } from '../git.js';
import { GitError } from '../gitError.js';
import { gitOptions, type LandContext, lineOf } from './landContext.js';

/** What git takes as a name without any other meaning. */
const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9_./-]{0,249}$/;
const MAX_ADDRESS = 2_048;

export interface Remote {
  readonly name: string;
  /** Where it is pushed to, as git rewrites it. */
  readonly addresses: readonly string[];
}

/** The remote of that name, or the one of the branch, else `origin`, else the only one. Never an address that a client made up. */
export async function findRemote(context: LandContext, branch: string, wanted: string | undefined): Promise<Remote> {
  const options = gitOptions(context, { atLimit: 'cut', maxOutputBytes: 1024 * 1024 });
  const { stdout } = await runGit(context.folder, ['remote'], options);
  const names = stdout
    .toString('utf8')
    .split('\n')
    .filter((name) => PLAIN.test(name));
  const ofBranch = await lineOf(context, ['for-each-ref', '--format=%(push:remotename)', `refs/heads/${branch}`]);
  const choices = wanted === undefined ? [ofBranch, 'origin', names.length === 1 ? names[0] : undefined] : [wanted];
  const name = choices.find((one) => one !== undefined && names.includes(one));
  if (name === undefined) {
    throw new GitError(
      'noRemote',
      wanted !== undefined
        ? `There is no remote ${wanted}. Name another one, or add it with \`git remote add\`.`
        : names.length === 0
          ? 'The repository has no remote to push to. Add one with `git remote add origin ADDRESS`.'
          : `The host does not know which remote to push to. Name one of ${names.slice(0, 10).join(', ')}.`,
    );
  }
  const listed = await runGit(context.folder, ['remote', 'get-url', '--push', '--all', name], options);
  const addresses = listed.stdout.toString('utf8').split('\n').filter(Boolean);
  return { name, addresses };
}

/** As git tells a path of this machine from an address. */
export function isLocal(address: string): boolean {
  if (/^file:/i.test(address)) return true;
  const colon = address.indexOf(':');
  const slash = address.indexOf('/');
  return colon === -1 || (slash !== -1 && slash < colon);
}

/** A repository on a web server. */
export interface WebRepository {
  readonly host: string;
  /** Owner and name, without `.git`. */
  readonly path: string;
}

/** From `https://`, `ssh://`, `git://` and `user@host:path`. Log-in data and ports of other protocols are left out. */
export function webRepository(address: string): WebRepository | undefined {
  if (address.length > MAX_ADDRESS || isLocal(address) || /[\s\\]|\p{Cc}/u.test(address)) return undefined;
  const scp = address.includes('://') ? null : /^(?:[^@/:]+@)?([A-Za-z0-9.-]+):(?!:)(.+)$/.exec(address);
  if (scp) return checked(scp[1] ?? '', scp[2] ?? '');
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (!['https:', 'http:', 'ssh:', 'git:', 'git+ssh:'].includes(url.protocol)) return undefined;
  return checked(/^https?:$/.test(url.protocol) ? url.host : url.hostname, url.pathname);
}

function checked(host: string, path: string): WebRepository | undefined {
  const parts = path
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .split('/')
    .filter(Boolean);
  const isPlain = parts.length >= 2 && parts.every((part) => /^[\w.~-]+$/.test(part) && !/^\.+$/.test(part));
  if (!isPlain || !/^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::\d+)?$/.test(host)) return undefined;
  return { host: host.toLowerCase(), path: parts.join('/') };
}

export type Forge = 'github' | 'gitlab' | 'bitbucket';

/** By the name of the server. */
export function forgeOf({ host }: WebRepository): Forge | undefined {
  if (/(?:^|\.)github\./.test(host)) return 'github';
  if (/(?:^|\.)gitlab\./.test(host)) return 'gitlab';
  if (host === 'bitbucket.org') return 'bitbucket';
  return undefined;
}

export function pageOf({ host, path }: WebRepository): string {
  return `https://${host}/${path}`;
}

/** Where a person opens a pull request. Of a server that is not known: the page of the repository. */
export function requestPage(repository: WebRepository, branch: string, into: string): string {
  const page = pageOf(repository);
  const [from, to] = [encodeURIComponent(branch), encodeURIComponent(into)];
  switch (forgeOf(repository)) {
    case 'github':
      return `${page}/compare/${to}...${from}?expand=1`;
    case 'gitlab':
      return `${page}/-/merge_requests/new?merge_request%5Bsource_branch%5D=${from}&merge_request%5Btarget_branch%5D=${to}`;
    case 'bitbucket':
      return `${page}/pull-requests/new?source=${from}&dest=${to}`;
    default:
      return page;
  }
}

/** Addresses in what git says may have passwords in them. */
export function withoutLogins(text: string): string {
  return text.replace(/(\w:\/\/)[^\s/@]*@/g, '$1');
}
