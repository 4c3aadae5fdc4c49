import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AcpAgent } from '../../../src/agents/acp/acpAgent.js';
import {
  AgentsFileError,
  agentsJsonSchema,
  parseAgentSpecs,
  readAgentSpecs,
} from '../../../src/agents/acp/agentsFile.js';
import { CATALOGUE } from '../../../src/agents/acp/catalogue.js';
import { temporaryFolder } from '../support/sessions.js';

const parse = (file: unknown) => parseAgentSpecs(JSON.stringify(file), 'agents.json', CATALOGUE);

describe('agents.json', () => {
  it('adds, changes and hides agents', async () => {
    const specs = await parse({
      agents: {
        mine: { command: 'my-agent', args: ['--acp'] },
        claude: { name: 'My Claude', passEnv: ['ANTHROPIC_API_KEY'], env: { A: 'b' } },
        codex: { env: { B: 'c' } },
        gemini: { enabled: false },
      },
    });
    expect(specs.map(({ provider }) => provider)).toEqual(['claude', 'codex', 'opencode', 'copilot-acp', 'mine']);
    const [claude, codex, , , mine] = specs;
    expect(claude).toEqual({
      ...CATALOGUE[0],
      displayName: 'My Claude',
      passEnv: ['ANTHROPIC_API_KEY'],
      env: { A: 'b' },
    });
    expect(codex?.env).toEqual({ INITIAL_AGENT_MODE: 'workspace-write', B: 'c' });
    expect(mine).toEqual({
      provider: 'mine',
      displayName: 'mine',
      description: 'An agent of your own: my-agent',
      command: 'my-agent',
      args: ['--acp'],
      env: {},
      passEnv: [],
      login: 'Log in with mine itself, then try again.',
      models: [],
    });
  });

  it('keeps all that the host knows of an agent whose entry changes nothing', async () => {
    const entries = Object.fromEntries(CATALOGUE.map(({ provider }) => [provider, {}]));
    expect(await parse({ agents: entries })).toEqual(CATALOGUE);
  });

  it.each([
    ['{\n  "agents": {\n    "a": }\n}', /^agents\.json:3: /],
    ['', /^agents\.json:1: /],
    ['{\n "agents": {\n },\n "x" 5\n}', /^agents\.json:4: /],
    ['{\n "agents": {\n }\n', /^agents\.json:4: /],
    [
      '{\n "agents": {\n  "m": {\n   "command": "x", "icon": "http://x"\n  }\n }\n}',
      /^agents\.json:4: agents\.m\.icon: /,
    ],
    ['[]', /^agents\.json:1: .*expected object/],
    ['{\n "agents": {\n  "mine": {\n   "comand": "x"\n  }\n }\n}', /^agents\.json:3: agents\.mine: .*"comand"/],
    [
      '{\n "agents": {\n  "mine": {\n   "command": 5\n  }\n }\n}',
      /^agents\.json:4: agents\.mine\.command: .*expected string/,
    ],
    ['{\n "agents": {\n  "mine": {}\n }\n}', /^agents\.json:3: agents\.mine: expected a "command"/],
    ['{\n "agents": {\n  "My Agent": { "command": "x" }\n }\n}', /agents\.My Agent: .*/],
    [
      '{\n "agents": {\n  "m": { "command": "x",\n   "npm": { "package": "p", "version": "^1" } }\n }\n}',
      /^agents\.json:4: agents\.m\.npm\.version: expected an exact version/,
    ],
  ])('reports the error and its position: %j', async (text, message) => {
    await expect(parseAgentSpecs(text, 'agents.json', CATALOGUE)).rejects.toThrow(message);
    await expect(parseAgentSpecs(text, 'agents.json', CATALOGUE)).rejects.toThrow(AgentsFileError);
  });

  it('is optional, and is refused when it is huge', async () => {
    const stateDir = await temporaryFolder();
    expect(await readAgentSpecs(stateDir, CATALOGUE)).toBe(CATALOGUE);
    await writeFile(join(stateDir, 'agents.json'), `{"agents":{}${' '.repeat(1024 * 1024)}}`);
    await expect(readAgentSpecs(stateDir, CATALOGUE)).rejects.toThrow('more than 1 MiB');
  });
});

it('matches its JSON Schema; npm run schemas writes it', async () => {
  const file = join(import.meta.dirname, '../../../schema/agents.schema.json');
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(agentsJsonSchema());
});

describe('the catalogue', () => {
  it('has exact versions, and prefers an agent in the state root to PATH', async () => {
    for (const { npm, provider } of CATALOGUE) expect(npm?.version, provider).toMatch(/^\d+\.\d+\.\d+$/);
    const [stateDir, onPath] = [await temporaryFolder(), await temporaryFolder()];
    const [spec] = CATALOGUE;
    if (!spec?.npm) throw new Error('the catalogue is empty');
    const agent = new AcpAgent({ spec, stateDir, hostEnv: { PATH: onPath } });
    expect(await agent.availability()).toEqual({
      state: 'unavailable',
      reason: 'It is not installed, and claude-agent-acp is not on PATH.',
      howToFix: 'Run `agenthost agents add claude`.',
      installable: { sizeHint: spec.npm.sizeHint },
    });
    await writeFile(join(onPath, 'claude-agent-acp'), '#!/bin/sh\n', { mode: 0o755 });
    expect(await agent.availability()).toEqual({ state: 'available' });
    const folder = join(stateDir, 'agents/claude/node_modules', spec.npm.name);
    await mkdir(folder, { recursive: true });
    const manifest = { version: '0.1.2', bin: { 'claude-agent-acp': 'main.js' } };
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
    await writeFile(join(folder, 'main.js'), '');
    expect(await agent.availability()).toEqual({ state: 'available', version: '0.1.2' });
    expect(await agent.findProgram()).toMatchObject({ path: process.execPath, args: [join(folder, 'main.js')] });
  });
});
