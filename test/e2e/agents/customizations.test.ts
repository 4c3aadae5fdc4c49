import { existsSync } from 'node:fs';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ShellAgent } from '@agenthost/host';
import { describe, expect, it } from 'vitest';
import { say } from '../../support/say.js';
import { until } from '../../support/until.js';
import { writeUnder } from '../../support/writeUnder.js';
import { entry, given, listed, mcp, useCustomizationWorld } from './customizationWorld.js';

const SKILL = '---\nname: testing\ndescription: How to test here.\n---\nRun the tests.\n';
const world = useCustomizationWorld();

describe('listing', () => {
  it('shows those in the folder, at home and in the state folder, and the agent gets them', async () => {
    await writeUnder(world.project, 'AGENTS.md', 'Be brief.\n');
    await writeUnder(
      world.project,
      '.github/instructions/ts.instructions.md',
      '---\napplyTo: "**/*.ts"\n---\nNo any.\n',
    );
    await writeUnder(world.project, '.claude/skills/testing/SKILL.md', SKILL);
    await writeUnder(
      world.project,
      '.github/agents/critic.agent.md',
      '---\ndescription: Finds faults.\n---\nYou find faults.\n',
    );
    await writeUnder(world.home, '.agents/skills/mine/SKILL.md', SKILL.replace('testing', 'mine'));
    await writeUnder(world.state, 'instructions/all.md', 'Be kind.\n');
    await writeUnder(world.state, 'mcp.json', mcp({ files: { command: 'files-server', args: ['--here'] } }));
    await world.start();
    const session = await world.create();
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
    expect(entry(session, 'files')?.customization.uri).toBe(
      `${pathToFileURL(join(world.state, 'mcp.json')).href}#files`,
    );
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

  it("includes the root of the folder's checkout", async () => {
    await writeUnder(world.project, '.git/HEAD', 'ref: refs/heads/main\n');
    await writeUnder(world.project, 'AGENTS.md', 'Of the root.');
    await writeUnder(world.project, 'packages/a/AGENTS.md', 'Of the package.');
    await world.start({ defaultDirectory: join(world.project, 'packages/a') });
    const session = await world.create();
    expect(listed(session).map(({ customization }) => customization.displayName)).toEqual([
      'AGENTS.md',
      'packages/a/AGENTS.md',
    ]);
    expect(await given(session)).toEqual(['instructions AGENTS Of the root.', 'instructions AGENTS Of the package.']);
  });

  it('shows why a broken one can not be used, and passes it to no agent', async () => {
    await writeUnder(world.root, 'elsewhere/SKILL.md', SKILL);
    await writeUnder(world.project, '.claude/skills/broken/SKILL.md', '---\nname: [\n---\n');
    await mkdir(join(world.project, '.claude/skills'), { recursive: true });
    await symlink(join(world.root, 'elsewhere'), join(world.project, '.claude/skills/out'));
    await symlink(join(world.root, 'nowhere'), join(world.project, 'CLAUDE.md'));
    await writeUnder(world.project, '.mcp.json', '{ nonsense');
    await writeUnder(world.project, 'AGENTS.md', 'x'.repeat(70_000));
    await world.start();
    const session = await world.create();
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

  it('is cut for a huge folder, and says so', async () => {
    const names = Array.from({ length: 1_500 }, (_, n) => `s${n}`);
    for (const name of names)
      await writeUnder(world.project, `.claude/skills/${name}/SKILL.md`, SKILL.replace('testing', name));
    await world.start();
    const session = await world.create();
    expect(listed(session)).toHaveLength(101);
    expect(listed(session).at(-1)).toMatchObject({
      customization: { displayName: '.claude/skills' },
      status: 'error',
      statusMessage: 'It has too many entries: not all of them are used.',
    });
    expect(await given(session)).toHaveLength(100);
  });

  it('is empty for an agent that takes none', async () => {
    await writeUnder(world.project, 'AGENTS.md', 'Be brief.');
    await writeUnder(world.project, '.mcp.json', mcp({ evil: { command: 'touch', args: [join(world.root, 'made')] } }));
    await world.start({ agents: [new ShellAgent()] });
    const session = await world.create('shell');
    expect(listed(session)).toEqual([]);
    await session.send('true');
    const [confirmation] = await until(session.pendingConfirmations, (open) => open.length > 0, 'the shell');
    await confirmation?.approve();
    await until(session.confirmed, ({ turns }) => turns.length === 1, 'the end');
    expect(existsSync(join(world.root, 'made'))).toBe(false);
  });

  it('is renewed at the next turn when files change', async () => {
    await world.start();
    const session = await world.create();
    expect(await given(session)).toEqual(['None.']);
    await writeUnder(world.project, 'AGENTS.md', 'One.');
    expect(await given(session)).toEqual(['instructions AGENTS One.']);
    expect(entry(session, 'AGENTS.md')).toMatchObject({ enabled: true, status: 'loaded' });
    await writeUnder(world.project, 'AGENTS.md', 'Two, longer.');
    expect(await given(session)).toEqual(['instructions AGENTS Two, longer.']);
    expect(await say(session, 'resumed?')).toMatch(/^Yes/);
    await rm(join(world.project, 'AGENTS.md'));
    expect(await given(session)).toEqual(['None.']);
    expect(listed(session)).toEqual([]);
  });
});

describe('toggling', () => {
  it('by one client is seen by the others, applies from the next turn on, and survives a restart and the file', async () => {
    const uri = await writeUnder(world.project, 'AGENTS.md', 'Be brief.');
    await world.start();
    const session = await world.create();
    const bob = await world.host.connect({ clientInfo: { name: 'Bob' } });
    const his = await bob.openSession(session.uri);
    await his.toggleCustomization(uri, false);
    await until(session.confirmed, () => entry(session, 'AGENTS.md')?.enabled === false, 'the toggle');
    expect(await given(session)).toEqual(['None.']);

    await world.host.host.close();
    await world.start();
    const again = await world.client.openSession(session.uri);
    expect(entry(again, 'AGENTS.md')?.enabled).toBe(false);
    expect(await given(again)).toEqual(['None.']);

    await rm(join(world.project, 'AGENTS.md'));
    await say(again, 'hello');
    expect(entry(again, 'AGENTS.md')).toMatchObject({ enabled: false, statusMessage: 'It is not there any more.' });
    await writeUnder(world.project, 'AGENTS.md', 'Back.');
    expect(await given(again)).toEqual(['None.']);
    await again.toggleCustomization(uri, true);
    expect(await given(again)).toEqual(['instructions AGENTS Back.']);
  });

  it('before the first message reopens the agent without resuming', async () => {
    const uri = await writeUnder(world.project, 'AGENTS.md', 'Be brief.');
    await world.start();
    const session = await world.create();
    await session.toggleCustomization(uri, false);
    expect(await say(session, 'resumed?')).toBe('No, this is new.');
    expect(await given(session)).toEqual(['None.']);
  });
});
