import { execFileSync } from 'node:child_process';
import { chown, mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { CustomizationFinder } from '../../src/customizations/customizationFinder.js';
import { DISCOVERY_LIMITS, type DiscoveryLimits } from '../../src/customizations/foundCustomization.js';
import { temporaryFolder } from '../agents/support/sessions.js';

let root: string;
let cwd: string;

beforeEach(async () => {
  root = await temporaryFolder();
  cwd = join(root, 'project');
  for (const name of ['project', 'home', 'state']) await mkdir(join(root, name));
});

async function write(path: string, content: string): Promise<string> {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
  return file;
}

function newFinder(limits?: Partial<DiscoveryLimits>): CustomizationFinder {
  const env = { HOME: join(root, 'home'), TOKEN: 'secret' };
  return new CustomizationFinder({ stateRoot: join(root, 'state'), env, limits: { ...DISCOVERY_LIMITS, ...limits } });
}

const find = (limits?: Partial<DiscoveryLimits>, gitRoot?: string) => newFinder(limits).find(cwd, gitRoot);

async function problems(limits?: Partial<DiscoveryLimits>) {
  const { customizations } = await find(limits);
  return customizations.map(({ displayName, problem }) => [displayName, problem ?? 'fine']);
}

/** As it stands in a file. */
const variable = (name: string) => `$\{${name}}`;
const skill = (name: string) => `---\nname: ${name}\ndescription: d\n---\n`;

describe('found customizations', () => {
  it('have names, descriptions and patterns from the front matter', async () => {
    await write(
      'project/.github/instructions/a.instructions.md',
      '---\r\napplyTo: "*.c"\r\ndescription: C\r\n---\r\nx',
    );
    await write('project/.claude/agents/a.md', '\uFEFF---\nname: Alpha\ndescription: |\n  two\n  lines\n---\n');
    await write('project/.claude/agents/b.md', '---\n---\nno fields');
    const { customizations } = await find();
    const shown = customizations.map(({ kind, name, displayName, description, appliesTo }) => [
      kind,
      name,
      displayName,
      description,
      appliesTo,
    ]);
    expect(shown).toEqual([
      ['instructions', 'a', '.github/instructions/a.instructions.md', 'C', '*.c'],
      ['agent', 'Alpha', 'Alpha', 'two lines', undefined],
      ['agent', 'b', 'b', undefined, undefined],
    ]);
  });

  it('include a file once, whatever its names', async () => {
    await write('project/AGENTS.md', 'x');
    await symlink('AGENTS.md', join(cwd, 'CLAUDE.md'));
    expect(await problems()).toEqual([['AGENTS.md', 'fine']]);
  });

  it("are the user's own when the home is also the project folder", async () => {
    await write('home/.claude/skills/a/SKILL.md', skill('a'));
    cwd = join(root, 'home');
    const { customizations } = await find();
    expect(customizations.map(({ origin }) => origin)).toEqual(['user']);
  });

  it('include configuration that agents read by themselves', async () => {
    await write('project/.claude/settings.json', '{}');
    await write('project/.env', '');
    await write('project/sub/opencode.json', '{}');
    cwd = join(cwd, 'sub');
    const { configuration, workspace } = await newFinder().find(cwd, join(root, 'project'), {
      withConfiguration: true,
    });
    expect([configuration, workspace]).toEqual([['.claude', '.env', 'sub/opencode.json'], join(root, 'project')]);
  });

  it('include such configuration in every folder between the session and the root of its checkout', async () => {
    await write('project/pkg/.mcp.json', '{}');
    await write('project/pkg/.opencode/plugin/evil.js', '');
    await write('project/.github/copilot/settings.json', '{}');
    await write('.claude/settings.json', '{}');
    const sub = join(root, 'project/pkg/deep/sub');
    await mkdir(sub, { recursive: true });
    const { configuration } = await newFinder().find(sub, join(root, 'project'), { withConfiguration: true });
    expect(configuration).toEqual(['.github/copilot', 'pkg/.opencode', 'pkg/.mcp.json']);
  });

  it("include such configuration above a folder without a checkout, but not in the user's home", async () => {
    await write('project/opencode.json', '{}');
    await write('.env', '');
    const sub = join(root, 'project/sub');
    await mkdir(sub);
    const { configuration, workspace } = await newFinder().find(sub, undefined, { withConfiguration: true });
    expect(workspace).toBe(sub);
    expect(configuration).toEqual(expect.arrayContaining([join(root, '.env'), join(root, 'project/opencode.json')]));

    await write('home/.claude/settings.json', '{}');
    await write('home/work/.env', '');
    const atHome = join(root, 'home/work/x');
    await mkdir(atHome);
    const found = await newFinder().find(atHome, undefined, { withConfiguration: true });
    expect(found.configuration).toEqual([join(root, 'home/work/.env')]);
  });

  // Only root may give a file away.
  it.runIf(process.getuid?.() === 0)('mark files of another user', async () => {
    await chown(await write('.mcp.json', '{}'), 12_345, 12_345);
    const { configuration, foreignConfiguration } = await newFinder().find(cwd, undefined, { withConfiguration: true });
    expect(foreignConfiguration).toEqual([join(root, '.mcp.json')]);
    expect(configuration).toContain(join(root, '.mcp.json'));
  });

  it('are read again only after a change', async () => {
    const file = await write('project/AGENTS.md', '---\ndescription: one\n---\n');
    const finder = newFinder();
    const [first] = (await finder.find(cwd, undefined)).customizations;
    const [again] = (await finder.find(cwd, undefined)).customizations;
    expect(again).toBe(first);
    await writeFile(file, '---\ndescription: two\n---\n');
    await utimes(file, 1, 1);
    const [changed] = (await finder.find(cwd, undefined)).customizations;
    expect([changed?.description, changed?.stamp === first?.stamp]).toEqual(['two', false]);
  });
});

describe('a customization is not used when it', () => {
  it('leads out of its folder', async () => {
    await write('elsewhere/skills/a/SKILL.md', skill('a'));
    await write('elsewhere/AGENTS.md', 'x');
    await mkdir(join(cwd, '.claude'));
    await symlink(join(root, 'elsewhere/skills'), join(cwd, '.claude/skills'));
    await symlink(join(root, 'elsewhere/AGENTS.md'), join(cwd, 'AGENTS.md'));
    await symlink('/dev/zero', join(cwd, 'GEMINI.md'));
    const out = 'It is a link that leads out of its folder.';
    expect(await problems()).toEqual([
      ['AGENTS.md', out],
      ['GEMINI.md', out],
      ['.claude/skills', out],
    ]);
  });

  it('is no file, no text, too large, or has nothing that says what it is for', async () => {
    await mkdir(join(cwd, 'AGENTS.md'));
    await write('project/CLAUDE.md', 'a\0b');
    execFileSync('mkfifo', [join(cwd, 'GEMINI.md')]);
    await write('project/.github/copilot-instructions.md', 'x'.repeat(101));
    await write('project/.claude/skills/a/SKILL.md', 'no front matter');
    expect(await problems({ maxTextBytes: 100 })).toEqual([
      ['AGENTS.md', 'It is not a file.'],
      ['CLAUDE.md', 'It is not a text.'],
      ['GEMINI.md', 'It is not a file.'],
      ['.github/copilot-instructions.md', expect.stringContaining('larger than')],
      ['.claude/skills/a/SKILL.md', expect.stringContaining('needs a description')],
    ]);
  });

  it('exceeds the limits', async () => {
    for (const name of ['a', 'b', 'c']) await write(`project/.claude/agents/${name}.md`, 'x'.repeat(60));
    const tooMany = 'It has too many entries: not all of them are used.';
    expect(await problems({ maxPerPlace: 2 })).toEqual([
      ['a', 'fine'],
      ['b', 'fine'],
      ['.claude/agents', tooMany],
    ]);
    expect(await problems({ maxCustomizations: 2 })).toEqual([
      ['a', 'fine'],
      ['b', 'fine'],
      ['.claude/agents/c.md', 'There are more than 2 customizations: the others are not used.'],
    ]);
    expect((await problems({ maxTotalTextBytes: 120 })).at(-1)?.[1]).toContain('Not used: with it all texts');
    expect((await problems({ maxNames: 1 })).at(-1)).toEqual(['.claude/agents', tooMany]);
  });

  it('is in a checkout that the folder does not really belong to, or that is gone', async () => {
    await write('AGENTS.md', 'x');
    await write('checkout/AGENTS.md', 'x');
    await symlink(cwd, join(root, 'checkout/link'));
    for (const gitRoot of ['checkout', 'nowhere']) {
      const found = await newFinder().find(join(root, 'checkout/link'), join(root, gitRoot));
      expect([found.workspace, found.customizations]).toEqual([cwd, []]);
    }
  });

  // 2026-11-15: only root can give a folder away.
  it.runIf(process.getuid?.() === 0)('is in a checkout above that belongs to another user', async () => {
    await write('AGENTS.md', 'x');
    expect((await find({}, root)).workspace).toBe(root);
    await chown(root, 12_345, 12_345);
    const { workspace, customizations } = await find({}, root);
    expect([workspace, customizations]).toEqual([cwd, []]);
  });
});

describe('MCP servers', () => {
  const servers = async (content: string) => {
    await write('project/.vscode/mcp.json', content);
    const { customizations } = await find();
    return customizations.map(({ name, mcpServer, runs, problem }) => ({ name, mcpServer, runs, problem }));
  };

  it('are read as editors write them, with variables of the environment', async () => {
    const text = `{
      // a comment, with "quotes" and a /* in it
      "servers": {
        "local": { "command": "\${workspaceFolder}/run", "args": ["--url=http://x//y", "\${MISSING:-none}",], "env": { "T": "\${env:TOKEN}", "N": 1 }, "cwd": "sub" },
        /* another */
        "remote": { "type": "sse", "url": "https://example.com/sse", "headers": { "A": "b" } },
      },
    }`;
    expect(await servers(text)).toEqual([
      {
        name: 'local',
        mcpServer: {
          type: 'stdio',
          command: `${cwd}/run`,
          args: ['--url=http://x//y', 'none'],
          env: { T: 'secret', N: '1' },
          cwd: join(cwd, 'sub'),
        },
        // As it is in the file: the values of variables are not shown.
        runs: `The MCP server \`local\` runs \`${variable('workspaceFolder')}/run --url=http://x//y ${variable('MISSING:-none')}\``,
      },
      {
        name: 'remote',
        mcpServer: { type: 'sse', url: 'https://example.com/sse', headers: { A: 'b' } },
        runs: 'The MCP server `remote` connects to `https://example.com/sse`',
      },
    ]);
  });

  it('that can not be used say why', async () => {
    const found = await servers(
      JSON.stringify({
        servers: {
          a: { command: 'x', args: 'y' },
          b: { url: 'file:///etc' },
          c: {},
          d: 'text',
          e: { command: 'x', args: [variable('input:key')] },
          f: { command: variable('NOT_SET') },
          constructor: { command: 'x' },
          '\ud800': { command: 'x' },
        },
      }),
    );
    expect(found.map(({ problem }) => problem)).toEqual([
      'args must be a list of texts.',
      'url must be an address of http: or https:.',
      'It has neither a command nor a url.',
      'It must be an object.',
      expect.stringContaining(`${variable('input:key')} is nothing that this host knows`),
      expect.stringContaining(`${variable('NOT_SET')} is not in the environment`),
      expect.stringContaining('A name has'),
      expect.stringContaining('A name has'),
    ]);
    expect(found.every(({ mcpServer }) => mcpServer === undefined)).toBe(true);
  });

  it('a hostile file does not take long', async () => {
    const started = performance.now();
    expect(await servers(`{"servers":{}${'/*'.repeat(120_000)}`)).toMatchObject([{ name: '.vscode/mcp.json' }]);
    expect(await servers(`[${', '.repeat(80_000)}`)).toMatchObject([{ name: '.vscode/mcp.json' }]);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
