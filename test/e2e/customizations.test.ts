import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Host as HostConnection, Session } from '@agenthost/client';
import {
  type AgentSession,
  type CustomizationSupport,
  type HostOptions,
  MockAgent,
  type OpenSessionOptions,
  ShellAgent,
} from '@agenthost/host';
import type { SessionCustomization, SessionState } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestHost, type TestHost } from '../support/testHost.js';
import { until } from '../support/until.js';

let root: string;
let home: string;
let state: string;
let project: string;
let host: TestHost;
let client: HostConnection;

async function start(options: Partial<HostOptions> = {}): Promise<void> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home };
  host = await startTestHost({ env, stateDir: state, defaultDirectory: project, ...options });
  client = await host.connect({ clientInfo: { name: 'Alice' } });
}

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'agenthost-custom-')));
  [home, state, project] = [join(root, 'home'), join(root, 'state'), join(root, 'project')];
  for (const folder of [home, state, project]) await mkdir(folder, { mode: 0o700 });
});

afterEach(async () => {
  await host?.dispose();
  await rm(root, { recursive: true, force: true });
});

async function write(folder: string, path: string, content: string): Promise<string> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
  return pathToFileURL(file).href;
}

const mcp = (servers: object) => JSON.stringify({ mcpServers: servers });
const SKILL = '---\nname: testing\ndescription: How to test here.\n---\nRun the tests.\n';

async function create(provider = 'mock'): Promise<Session> {
  const session = await client.createSession({ provider });
  await session.ready();
  return session;
}

function answerOf({ turns }: SessionState): string {
  return (turns.at(-1)?.responseParts ?? []).map((part) => (part.kind === 'markdown' ? part.content : '')).join('');
}

/** What the agent says that it was given. */
async function given(session: Session): Promise<string[]> {
  return (await say(session, 'customizations')).split('\n');
}

async function say(session: Session, prompt: string): Promise<string> {
  const count = session.confirmed.value.turns.length + 1;
  await session.send(prompt);
  return answerOf(await until(session.confirmed, ({ turns }) => turns.length === count, `the end of ${prompt}`));
}

function listed(session: Session): readonly SessionCustomization[] {
  return session.confirmed.value.customizations ?? [];
}

function entry(session: Session, name: string): SessionCustomization | undefined {
  return listed(session).find(({ customization }) => customization.displayName === name);
}

async function question(session: Session) {
  const { activeTurn } = await until(
    session.confirmed,
    ({ activeTurn }) => Object.keys(activeTurn?.pendingPermissions ?? {}).length > 0,
    'a question',
  );
  const [request] = Object.values(activeTurn?.pendingPermissions ?? {});
  if (!activeTurn || !request) throw new Error('nothing is asked');
  return request;
}

async function answer(session: Session, approved: boolean, by = session): Promise<void> {
  const { requestId } = await question(session);
  await until(by.pendingPermissions, (open) => open.length > 0, 'the question');
  const request = by.pendingPermissions.value.find((one) => one.request.requestId === requestId);
  await request?.answer({ approved });
}

/** Starts the servers that it is given when a session is opened, as real agents do. */
class StartingAgent extends MockAgent {
  override async openSession(options: OpenSessionOptions): Promise<AgentSession> {
    for (const { mcpServer } of options.customizations) {
      if (mcpServer?.type !== 'stdio') continue;
      await once(spawn(mcpServer.command, mcpServer.args, { cwd: options.cwd, stdio: 'ignore' }), 'exit');
    }
    return super.openSession(options);
  }
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

describe('listing', () => {
  it('shows what is in the folder, at home and in the state folder, and the agent gets it', async () => {
    await write(project, 'AGENTS.md', 'Be brief.\n');
    await write(project, '.github/instructions/ts.instructions.md', '---\napplyTo: "**/*.ts"\n---\nNo any.\n');
    await write(project, '.claude/skills/testing/SKILL.md', SKILL);
    await write(project, '.github/agents/critic.agent.md', '---\ndescription: Finds faults.\n---\nYou find faults.\n');
    await write(home, '.agents/skills/mine/SKILL.md', SKILL.replace('testing', 'mine'));
    await write(state, 'instructions/all.md', 'Be kind.\n');
    await write(state, 'mcp.json', mcp({ files: { command: 'files-server', args: ['--here'] } }));
    await start();
    const session = await create();
    const shown = listed(session).map(({ customization: { kind, displayName, description }, enabled, status }) => [
      kind,
      displayName,
      description,
      enabled,
      status,
    ]);
    expect(shown).toEqual([
      ['instructions', 'instructions/all.md', undefined, true, 'loaded'],
      ['mcpServer', 'files', 'In mcp.json', true, 'loaded'],
      ['skill', 'mine', 'How to test here.', true, 'loaded'],
      ['instructions', 'AGENTS.md', undefined, true, 'loaded'],
      ['instructions', '.github/instructions/ts.instructions.md', undefined, true, 'loaded'],
      ['skill', 'testing', 'How to test here.', true, 'loaded'],
      ['agent', 'critic', 'Finds faults.', true, 'loaded'],
    ]);
    expect(entry(session, 'files')?.customization.uri).toBe(`${pathToFileURL(join(state, 'mcp.json')).href}#files`);
    expect(await given(session)).toEqual([
      'instructions all Be kind.',
      'mcpServer files files-server --here',
      'skill mine',
      'instructions AGENTS Be brief.',
      'instructions ts No any.',
      'skill testing',
      'agent critic You find faults.',
    ]);
  });

  it('also from the root of the checkout that the folder is in', async () => {
    await write(project, '.git/HEAD', 'ref: refs/heads/main\n');
    await write(project, 'AGENTS.md', 'Of the root.');
    await write(project, 'packages/a/AGENTS.md', 'Of the package.');
    await start({ defaultDirectory: join(project, 'packages/a') });
    const session = await create();
    expect(listed(session).map(({ customization }) => customization.displayName)).toEqual([
      'AGENTS.md',
      'packages/a/AGENTS.md',
    ]);
    expect(await given(session)).toEqual(['instructions AGENTS Of the root.', 'instructions AGENTS Of the package.']);
  });

  it('what is broken says why, and reaches nobody', async () => {
    await write(root, 'elsewhere/SKILL.md', SKILL);
    await write(project, '.claude/skills/broken/SKILL.md', '---\nname: [\n---\n');
    await mkdir(join(project, '.claude/skills'), { recursive: true });
    await symlink(join(root, 'elsewhere'), join(project, '.claude/skills/out'));
    await symlink(join(root, 'nowhere'), join(project, 'CLAUDE.md'));
    await write(project, '.mcp.json', '{ nonsense');
    await write(project, 'AGENTS.md', 'x'.repeat(70_000));
    await start();
    const session = await create();
    expect(
      listed(session).map(({ customization, status, statusMessage }) => [
        customization.displayName,
        status,
        statusMessage,
      ]),
    ).toEqual([
      ['AGENTS.md', 'error', 'It is larger than 64 KB.'],
      ['CLAUDE.md', 'error', 'It is a link to nothing.'],
      ['.claude/skills/broken/SKILL.md', 'error', expect.stringContaining("front matter can't be read")],
      ['.claude/skills/out/SKILL.md', 'error', 'It is a link that leads out of its folder.'],
      ['.mcp.json', 'error', expect.stringContaining('JSON')],
    ]);
    expect(await given(session)).toEqual(['None.']);
  });

  it('a huge folder is cut, and says so', async () => {
    const names = Array.from({ length: 1_500 }, (_, n) => `s${n}`);
    for (const name of names) await write(project, `.claude/skills/${name}/SKILL.md`, SKILL.replace('testing', name));
    await start();
    const session = await create();
    expect(listed(session)).toHaveLength(101);
    expect(listed(session).at(-1)).toMatchObject({
      customization: { displayName: '.claude/skills' },
      status: 'error',
      statusMessage: 'It has too many entries: not all of them are used.',
    });
    expect(await given(session)).toHaveLength(100);
  });

  it('an agent that takes none has none, and is not asked about', async () => {
    await write(project, 'AGENTS.md', 'Be brief.');
    await write(project, '.mcp.json', mcp({ evil: { command: 'touch', args: [join(root, 'made')] } }));
    await start({ agents: [new ShellAgent()] });
    const session = await create('shell');
    expect(listed(session)).toEqual([]);
    await session.send('true');
    const [confirmation] = await until(session.pendingConfirmations, (open) => open.length > 0, 'the shell');
    await confirmation?.approve();
    await until(session.confirmed, ({ turns }) => turns.length === 1, 'the end');
    expect(await exists(join(root, 'made'))).toBe(false);
  });

  it('is renewed at the next turn when files change', async () => {
    await start();
    const session = await create();
    expect(await given(session)).toEqual(['None.']);
    await write(project, 'AGENTS.md', 'One.');
    expect(await given(session)).toEqual(['instructions AGENTS One.']);
    expect(entry(session, 'AGENTS.md')).toMatchObject({ enabled: true, status: 'loaded' });
    await write(project, 'AGENTS.md', 'Two, longer.');
    expect(await given(session)).toEqual(['instructions AGENTS Two, longer.']);
    expect(await say(session, 'resumed?')).toMatch(/^Yes/);
    await rm(join(project, 'AGENTS.md'));
    expect(await given(session)).toEqual(['None.']);
    expect(listed(session)).toEqual([]);
  });
});

describe('toggling', () => {
  it('by one client is seen by the others, applies from the next turn on, and outlives a restart and the file', async () => {
    const uri = await write(project, 'AGENTS.md', 'Be brief.');
    await start();
    const session = await create();
    const bob = await host.connect({ clientInfo: { name: 'Bob' } });
    const his = await bob.openSession(session.uri);
    await his.toggleCustomization(uri, false);
    await until(session.confirmed, () => entry(session, 'AGENTS.md')?.enabled === false, 'the toggle');
    expect(await given(session)).toEqual(['None.']);

    await host.host.close();
    await start();
    const again = await client.openSession(session.uri);
    expect(entry(again, 'AGENTS.md')?.enabled).toBe(false);
    expect(await given(again)).toEqual(['None.']);

    await rm(join(project, 'AGENTS.md'));
    await say(again, 'hello');
    expect(entry(again, 'AGENTS.md')).toMatchObject({ enabled: false, statusMessage: 'It is not there any more.' });
    await write(project, 'AGENTS.md', 'Back.');
    expect(await given(again)).toEqual(['None.']);
    await again.toggleCustomization(uri, true);
    expect(await given(again)).toEqual(['instructions AGENTS Back.']);
  });

  it('before anything was said opens the agent anew, not with a session that it has nothing of', async () => {
    const uri = await write(project, 'AGENTS.md', 'Be brief.');
    await start();
    const session = await create();
    await session.toggleCustomization(uri, false);
    expect(await say(session, 'resumed?')).toBe('No, this is new.');
    expect(await given(session)).toEqual(['None.']);
  });
});

describe('trust', () => {
  const hostile = () => mcp({ evil: { command: 'touch', args: [join(root, 'made')] } });

  it('is asked for before anything of the folder runs, once, and remembered', async () => {
    await write(project, '.mcp.json', hostile());
    await start({ agents: [new StartingAgent()] });
    const session = await create();
    expect(entry(session, 'evil')).toMatchObject({
      enabled: true,
      status: 'degraded',
      statusMessage: 'Not used: this folder is not trusted.',
    });
    const bob = await host.connect({ clientInfo: { name: 'Bob' } });
    const his = await bob.openSession(session.uri);
    await session.send('customizations');
    const asked = await question(session);
    expect(asked).toMatchObject({ kind: 'permission', title: 'Trust the folder project?' });
    expect(asked.message).toContain(`The MCP server \`evil\` runs \`touch ${join(root, 'made')}\``);
    expect(session.confirmed.value.summary.status).toBe('inputNeeded');
    expect(await exists(join(root, 'made'))).toBe(false);
    await answer(session, true, his);
    const ended = await until(session.confirmed, ({ turns }) => turns.length === 1, 'the end');
    expect(answerOf(ended)).toBe(`mcpServer evil touch ${join(root, 'made')}`);
    expect(await exists(join(root, 'made'))).toBe(true);
    expect(entry(session, 'evil')).toMatchObject({ status: 'loaded' });
    expect(JSON.parse(await readFile(join(state, 'trust.json'), 'utf8'))).toEqual({ folders: [project] });

    await host.host.close();
    await start();
    const other = await create();
    expect(await given(other)).toEqual([`mcpServer evil touch ${join(root, 'made')}`]);
    // What is taken out of the file is asked about again.
    await writeFile(join(state, 'trust.json'), JSON.stringify({ folders: [] }));
    await other.send('customizations');
    await answer(other, false);
    await until(other.confirmed, ({ turns }) => turns.length === 2, 'the end');
    expect(answerOf(other.confirmed.value)).toBe('None.');
  });

  it('refused, it goes on without, and asks again only when somebody turns it on or it has changed', async () => {
    const uri = await write(project, '.mcp.json', hostile());
    await start({ agents: [new StartingAgent()] });
    const session = await create();
    await session.send('customizations');
    await answer(session, false);
    await until(session.confirmed, ({ turns }) => turns.length === 1, 'the end');
    expect(answerOf(session.confirmed.value)).toBe('None.');
    expect(await given(session)).toEqual(['None.']);
    expect(entry(session, 'evil')?.statusMessage).toBe(
      'Not used: this folder is not trusted. Turn it off and on to be asked again.',
    );
    await session.toggleCustomization(`${uri}#evil`, false);
    expect(await given(session)).toEqual(['None.']);
    await session.toggleCustomization(`${uri}#evil`, true);
    await session.send('customizations');
    await answer(session, false);
    await until(session.confirmed, ({ turns }) => turns.length === 4, 'the end');
    await write(project, '.mcp.json', mcp({ evil: { command: 'touch', args: [join(root, 'made'), 'again'] } }));
    await session.send('customizations');
    await answer(session, false);
    await until(session.confirmed, ({ turns }) => turns.length === 5, 'the end');
    expect(await exists(join(root, 'made'))).toBe(false);
  });

  it('a turn that is cancelled while it asks runs nothing, and the next one asks again', async () => {
    await write(project, '.mcp.json', hostile());
    await start({ agents: [new StartingAgent()] });
    const session = await create();
    await session.send('customizations');
    await question(session);
    await session.cancel();
    await until(session.confirmed, ({ turns }) => turns.length === 1, 'the end');
    await session.send('customizations');
    await question(session);
    await host.host.close();
    await start();
    const again = await client.openSession(session.uri);
    expect(again.confirmed.value.turns.map(({ state }) => state)).toEqual(['cancelled', 'error']);
    await again.send('customizations');
    await answer(again, false);
    await until(again.confirmed, ({ turns }) => turns.length === 3, 'the end');
    expect(await exists(join(root, 'made'))).toBe(false);
  });

  it('a skill that allows tools without asking needs it too; texts and the user own servers do not', async () => {
    await write(project, 'AGENTS.md', 'Be brief.');
    await write(
      project,
      '.claude/skills/deploy/SKILL.md',
      '---\nname: deploy\ndescription: d\nallowed-tools: Bash(*)\n---\n',
    );
    await write(state, 'mcp.json', mcp({ mine: { command: 'mine' } }));
    await start();
    const session = await create();
    await session.send('customizations');
    expect((await question(session)).message).toContain('The skill `deploy` allows `Bash(*)` without asking');
    await answer(session, false);
    await until(session.confirmed, ({ turns }) => turns.length === 1, 'the end');
    expect(answerOf(session.confirmed.value)).toBe('mcpServer mine mine\ninstructions AGENTS Be brief.');
  });

  it('a workspace can not take the name of a server of the user', async () => {
    await write(state, 'mcp.json', mcp({ files: { command: 'mine' } }));
    await write(project, '.mcp.json', mcp({ files: { command: 'theirs' } }));
    await start();
    const session = await create();
    await session.send('customizations');
    await answer(session, true);
    await until(session.confirmed, ({ turns }) => turns.length === 1, 'the end');
    expect(answerOf(session.confirmed.value)).toBe('mcpServer files mine');
    expect(listed(session).map(({ status }) => status)).toEqual(['loaded', 'degraded']);
  });

  it('an agent that obeys the folder by itself is not started in it before', async () => {
    const opened: string[] = [];
    class ObeyingAgent extends MockAgent {
      override readonly customizations: CustomizationSupport = {
        takes: ['mcpServer'],
        obeysWorkspace: true,
        readsByItself: (kind, path) => kind === 'instructions' && path === 'AGENTS.md',
      };
      override openSession(options: OpenSessionOptions): Promise<AgentSession> {
        opened.push(options.cwd);
        return super.openSession(options);
      }
    }
    const uri = await write(project, 'AGENTS.md', 'Be brief.');
    await write(project, '.claude/settings.json', '{"hooks":{}}');
    await start({ agents: [new ObeyingAgent()] });
    const session = await create();
    await session.send('customizations');
    const asked = await question(session);
    expect(asked.message).toContain('Mock obeys `.claude`');
    expect(asked.options?.map(({ label }) => label)).toEqual(['Trust this folder', "Don't start the agent"]);
    await answer(session, false);
    await until(session.confirmed, ({ turns }) => turns.length === 1, 'the end');
    expect(session.confirmed.value.turns[0]).toMatchObject({
      state: 'error',
      error: { message: expect.stringContaining('is not trusted') },
    });
    expect(opened).toEqual([]);
    await session.toggleCustomization(uri, false);
    await session.send('customizations');
    await answer(session, true);
    await until(session.confirmed, ({ turns }) => turns.length === 2, 'the end');
    expect(opened).toEqual([project]);
    expect(entry(session, 'AGENTS.md')).toMatchObject({
      status: 'degraded',
      statusMessage: expect.stringContaining('by itself'),
    });
  });
});
