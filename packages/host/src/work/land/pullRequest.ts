import { access, constants, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import type { PullRequestParams, PullRequestResult } from '@agenthost/protocol';
import type { Environment } from '../gitEnvironment.js';
import { gitEnvironment } from '../gitEnvironment.js';
import { GitError } from '../gitError.js';
import { runProcess } from '../gitProcess.js';
import { checkedOutBranch, type LandContext, lineOf } from './landContext.js';
import { requestNotice } from './notices.js';
import { findRemote, forgeOf, requestPage, type WebRepository, webRepository, withoutLogins } from './remotes.js';

const TOOL_MS = 60_000;
const MAX_OUTPUT = 64 * 1024;
const MAX_REASON = 500;
const MAX_URL = 2_048;

/** Where the programs find their own log-in for each server. */
const CONFIGURATION: readonly string[] = ['GH_CONFIG_DIR', 'GLAB_CONFIG_DIR'];

/**
 * The programs send a token to whatever server they are told, and a repository can name any: so each is passed on only for the server
 * that it is for.
 */
function tokensFor(host: string, env: Environment): readonly string[] {
  const { GH_HOST, GITLAB_HOST = 'gitlab.com' } = env;
  if (host === 'github.com') return ['GH_TOKEN', 'GITHUB_TOKEN'];
  if (host === GH_HOST) return ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'];
  if (host === GITLAB_HOST.replace(/^https?:\/\//, '')) return ['GITLAB_TOKEN', 'GITLAB_ACCESS_TOKEN', 'OAUTH_TOKEN'];
  return [];
}

interface Request {
  readonly repository: WebRepository;
  readonly branch: string;
  readonly into: string;
  readonly title: string;
  readonly body: string;
}

type Tool = 'gh' | 'glab';

/** Everything is given, so that the program asks nothing and looks at no repository. */
const ARGUMENTS: Readonly<Record<Tool, (request: Request) => readonly string[]>> = {
  gh: ({ repository: { host, path }, branch, into, title, body }) => [
    ...['pr', 'create', `--repo=${host}/${path}`],
    ...[`--head=${branch}`, `--base=${into}`, `--title=${title}`, `--body=${body}`],
  ],
  glab: ({ repository: { host, path }, branch, into, title, body }) => [
    ...['mr', 'create', `--repo=https://${host}/${path}`],
    ...[`--source-branch=${branch}`, `--target-branch=${into}`, `--title=${title}`, `--description=${body}`, '--yes'],
  ],
};

/** Opens a pull request with a program of the user's, or says where a person opens one. */
export async function pullRequest(
  context: LandContext,
  params: Omit<PullRequestParams, 'session'>,
): Promise<PullRequestResult> {
  const branch = await checkedOutBranch(context);
  const into = params.into ?? context.baseBranch ?? 'main';
  if (into === branch)
    throw new GitError('nothing', `The session works on ${into} itself: name another branch (into).`);
  const { name, addresses } = await findRemote(context, branch, params.remote);
  const repository = webRepository(addresses[0] ?? '');
  if (!repository) {
    throw new GitError('noRemote', `${name} is no repository on a web server, so it has no pull requests.`);
  }
  const newest = await lineOf(context, ['log', '-1', '--no-color', '--format=%s', `refs/heads/${branch}`, '--']);
  const title = (params.title ?? newest ?? branch).replaceAll('\0', '');
  const request = { repository, branch, into, title, body: (params.body ?? '').replaceAll('\0', '') };
  const page = requestPage(repository, branch, into);
  const tool = toolFor(repository);
  if (!tool || !(await isOnPath(tool, context.env ?? process.env))) {
    const reason = tool ? `There is no ${tool} on the PATH of the host.` : 'The host knows no program for this server.';
    return { url: page, isMade: false, reason };
  }
  const { url, reason } = await made(context, tool, request);
  if (url === undefined) return { url: page, isMade: false, ...(reason !== undefined && { reason }) };
  context.tell(requestNotice(context.by, url));
  return { url, isMade: true, by: tool };
}

function toolFor(repository: WebRepository): Tool | undefined {
  const forge = forgeOf(repository);
  return forge === 'github' ? 'gh' : forge === 'gitlab' ? 'glab' : undefined;
}

/** It runs in an empty folder: these programs run git, which must not find the repository. */
async function made(
  { env = process.env, landDir, signal }: LandContext,
  tool: Tool,
  request: Request,
): Promise<{ readonly url?: string; readonly reason?: string }> {
  await mkdir(landDir, { recursive: true, mode: 0o700 });
  const cwd = await mkdtemp(join(landDir, 'request-'));
  try {
    const { exitCode, stdout, stderr } = await runProcess(ARGUMENTS[tool](request), {
      program: tool,
      cwd,
      env: toolEnvironment(env, cwd, request.repository),
      stdin: undefined,
      maxOutputBytes: MAX_OUTPUT,
      onOutput: undefined,
      timeoutMs: TOOL_MS,
      signal,
    });
    const said = `${stdout.toString('utf8')}\n${stderr}`;
    // Also of one that exists already.
    const url = urlIn(said, request.repository);
    if (url !== undefined && (exitCode === 0 || /already exists/i.test(said))) return { url };
    const why = withoutLogins(stderr.trim() || `exit code ${exitCode}`).slice(0, MAX_REASON);
    return { reason: `${tool} did not open it: ${why}` };
  } catch (error) {
    if (!(error instanceof GitError) || error.problem === 'aborted') throw error;
    return { reason: `${tool} did not open it: ${error.message}` };
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

function toolEnvironment(env: Environment, cwd: string, { host }: WebRepository): Record<string, string> {
  const passed = [...CONFIGURATION, ...tokensFor(host, env)].flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...gitEnvironment({ env, writes: false, network: false }),
    ...Object.fromEntries(passed),
    GIT_CEILING_DIRECTORIES: dirname(cwd),
    GH_PROMPT_DISABLED: '1',
    GH_NO_UPDATE_NOTIFIER: '1',
    GLAB_CHECK_UPDATE: 'false',
    NO_PROMPT: '1',
    NO_COLOR: '1',
    BROWSER: 'true',
  };
}

/** Only a page of this repository. */
function urlIn(said: string, { host, path }: WebRepository): string | undefined {
  for (const [found] of said.matchAll(/https:\/\/[^\s"'<>]+/g)) {
    if (found.length > MAX_URL || !URL.canParse(found)) continue;
    const url = new URL(found);
    const isOurs = url.host === host && url.pathname.toLowerCase().startsWith(`/${path.toLowerCase()}/`);
    if (isOurs && url.username === '' && url.password === '') return url.href;
  }
  return undefined;
}

async function isOnPath(program: string, env: Environment): Promise<boolean> {
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const isThere = await access(join(folder, program), constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return true;
  }
  return false;
}
