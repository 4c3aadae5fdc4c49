import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionHandle } from '@agenthost/client';
import { type AgentSession, type CustomizationSupport, MockAgent, type OpenSessionOptions } from '@agenthost/host';
import { describe, expect, it } from 'vitest';
import { textOf } from '../../support/say.js';
import { until } from '../../support/until.js';
import { writeUnder } from '../../support/writeUnder.js';
import { entry, given, listed, mcp, useCustomizationWorld } from './customizationWorld.js';

const world = useCustomizationWorld();

const answerOf = ({ confirmed }: SessionHandle) => textOf(confirmed.value.turns.at(-1));

async function question(session: SessionHandle) {
  const { activeTurn } = await until(
    session.confirmed,
    ({ activeTurn }) => Object.keys(activeTurn?.pendingPermissions ?? {}).length > 0,
    'a question',
  );
  const [request] = Object.values(activeTurn?.pendingPermissions ?? {});
  if (!activeTurn || !request) throw new Error('nothing is asked');
  return request;
}

async function answer(session: SessionHandle, approved: boolean, by = session): Promise<void> {
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

/** Reads the folder's own configuration when it is started, as agents of the Agent Client Protocol do. */
class ObeyingAgent extends MockAgent {
  /** Where it was started. */
  static readonly opened: string[] = [];
  override readonly customizations: CustomizationSupport = {
    takes: ['mcpServer'],
    obeysWorkspace: true,
    readsByItself: (kind, path) => kind === 'instructions' && path === 'AGENTS.md',
  };
  override openSession(options: OpenSessionOptions): Promise<AgentSession> {
    ObeyingAgent.opened.push(options.cwd);
    return super.openSession(options);
  }
}

describe('trust', () => {
  const hostile = () => mcp({ evil: { command: 'touch', args: [join(world.root, 'made')] } });

  it('is asked for once before anything of the folder runs, and remembered', async () => {
    await writeUnder(world.project, '.mcp.json', hostile());
    await world.start({ agents: [new StartingAgent()] });
    const session = await world.create();
    expect(entry(session, 'evil')).toMatchObject({
      enabled: true,
      status: 'degraded',
      statusMessage: 'Not used: this folder is not trusted.',
    });
    const bob = await world.host.connect({ clientInfo: { name: 'Bob' } });
    const his = await bob.openSession(session.uri);
    await session.send('customizations');
    const asked = await question(session);
    expect(asked).toMatchObject({ kind: 'permission', title: 'Trust the folder project?' });
    expect(asked.message).toContain(`The MCP server \`evil\` runs \`touch ${join(world.root, 'made')}\``);
    expect(session.confirmed.value.summary.status).toBe('inputNeeded');
    expect(existsSync(join(world.root, 'made'))).toBe(false);
    await answer(session, true, his);
    const ended = await until(session.confirmed, ({ turns }) => turns.length === 1, 'the end');
    expect(textOf(ended.turns.at(-1))).toBe(`mcpServer evil touch ${join(world.root, 'made')}`);
    expect(existsSync(join(world.root, 'made'))).toBe(true);
    expect(entry(session, 'evil')).toMatchObject({ status: 'loaded' });
    expect(JSON.parse(await readFile(join(world.state, 'trust.json'), 'utf8'))).toEqual({ folders: [world.project] });

    await world.host.host.close();
    await world.start();
    const other = await world.create();
    expect(await given(other)).toEqual([`mcpServer evil touch ${join(world.root, 'made')}`]);
    // What is taken out of the file is asked about again.
    await writeFile(join(world.state, 'trust.json'), JSON.stringify({ folders: [] }));
    await other.send('customizations');
    await answer(other, false);
    await until(other.confirmed, ({ turns }) => turns.length === 2, 'the end');
    expect(answerOf(other)).toBe('None.');
  });

  it('refused: continues without, and asks again only after a toggle or a change', async () => {
    const uri = await writeUnder(world.project, '.mcp.json', hostile());
    await world.start({ agents: [new StartingAgent()] });
    const session = await world.create();
    await session.send('customizations');
    await answer(session, false);
    await until(session.confirmed, ({ turns }) => turns.length === 1, 'the end');
    expect(answerOf(session)).toBe('None.');
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
    await writeUnder(
      world.project,
      '.mcp.json',
      mcp({ evil: { command: 'touch', args: [join(world.root, 'made'), 'again'] } }),
    );
    await session.send('customizations');
    await answer(session, false);
    await until(session.confirmed, ({ turns }) => turns.length === 5, 'the end');
    expect(existsSync(join(world.root, 'made'))).toBe(false);
  });

  it('a turn that is cancelled while it asks runs nothing, and the next one asks again', async () => {
    await writeUnder(world.project, '.mcp.json', hostile());
    await world.start({ agents: [new StartingAgent()] });
    const session = await world.create();
    await session.send('customizations');
    await question(session);
    await session.cancel();
    await until(session.confirmed, ({ turns }) => turns.length === 1, 'the end');
    await session.send('customizations');
    await question(session);
    await world.host.host.close();
    await world.start();
    const again = await world.client.openSession(session.uri);
    expect(again.confirmed.value.turns.map(({ state }) => state)).toEqual(['cancelled', 'error']);
    await again.send('customizations');
    await answer(again, false);
    await until(again.confirmed, ({ turns }) => turns.length === 3, 'the end');
    expect(existsSync(join(world.root, 'made'))).toBe(false);
  });

  it("is needed for a skill that allows tools; not for texts and the user's own servers", async () => {
    await writeUnder(world.project, 'AGENTS.md', 'Be brief.');
    await writeUnder(
      world.project,
      '.claude/skills/deploy/SKILL.md',
      '---\nname: deploy\ndescription: d\nallowed-tools: Bash(*)\n---\n',
    );
    await writeUnder(world.state, 'mcp.json', mcp({ mine: { command: 'mine' } }));
    await world.start();
    const session = await world.create();
    await session.send('customizations');
    expect((await question(session)).message).toContain('The skill `deploy` allows `Bash(*)` without asking');
    await answer(session, false);
    await until(session.confirmed, ({ turns }) => turns.length === 1, 'the end');
    expect(answerOf(session)).toBe('mcpServer mine mine\ninstructions AGENTS Be brief.');
  });

  it("a project can not take the name of a user's server", async () => {
    await writeUnder(world.state, 'mcp.json', mcp({ files: { command: 'mine' } }));
    await writeUnder(world.project, '.mcp.json', mcp({ files: { command: 'theirs' } }));
    await world.start();
    const session = await world.create();
    await session.send('customizations');
    await answer(session, true);
    await until(session.confirmed, ({ turns }) => turns.length === 1, 'the end');
    expect(answerOf(session)).toBe('mcpServer files mine');
    expect(listed(session).map(({ status }) => status)).toEqual(['loaded', 'degraded']);
  });

  it("an agent that reads the folder's configuration by itself is not started before", async () => {
    const { opened } = ObeyingAgent;
    opened.length = 0;
    const uri = await writeUnder(world.project, 'AGENTS.md', 'Be brief.');
    await writeUnder(world.project, '.claude/settings.json', '{"hooks":{}}');
    await world.start({ agents: [new ObeyingAgent()] });
    const session = await world.create();
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
    expect(opened).toEqual([world.project]);
    expect(entry(session, 'AGENTS.md')).toMatchObject({
      status: 'degraded',
      statusMessage: expect.stringContaining('by itself'),
    });
  });

  it('is asked for configuration in a folder between the session and the root of its checkout', async () => {
    ObeyingAgent.opened.length = 0;
    await writeUnder(world.project, '.git/HEAD', 'ref: refs/heads/main\n');
    await writeUnder(world.project, 'pkg/.mcp.json', hostile());
    await mkdir(join(world.project, 'pkg/sub'));
    await world.start({ agents: [new ObeyingAgent()], defaultDirectory: join(world.project, 'pkg/sub') });
    const session = await world.create();
    await session.send('hello');
    expect((await question(session)).message).toContain('Mock obeys `pkg/.mcp.json`');
    expect(ObeyingAgent.opened).toEqual([]);
    await answer(session, false);
    await until(session.confirmed, ({ turns }) => turns[0]?.state === 'error', 'the end');
    expect(ObeyingAgent.opened).toEqual([]);
  });

  // Only root may give a file away.
  it.runIf(process.getuid?.() === 0)('is refused when another user left configuration above', async () => {
    ObeyingAgent.opened.length = 0;
    await writeUnder(world.root, '.mcp.json', hostile());
    await chown(join(world.root, '.mcp.json'), 12_345, 12_345);
    await world.start({ agents: [new ObeyingAgent()] });
    const session = await world.create();
    await session.send('hello');
    const { turns } = await until(session.confirmed, ({ turns }) => turns.length === 1, 'the end');
    expect(turns[0]?.error?.message).toBe(
      `Mock was not started: it would obey ${join(world.root, '.mcp.json')}, which belongs to another user. Have it removed, or work in another folder.`,
    );
    expect(ObeyingAgent.opened).toEqual([]);
    // The host won't ask, so lists name no folder.
    expect(session.confirmed.value.summary.metadata).not.toHaveProperty('untrustedFolder');
  });
});
