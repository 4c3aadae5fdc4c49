import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CopilotAgent } from '../../../src/agents/copilot/copilotAgent.js';
import { parseSessionConfig } from '../../../src/agents/copilot/providerConfig.js';
import { findProgram, resolveAgentInstall } from '../../../src/agents/install/agentInstall.js';
import { openOptions, temporaryFolder } from '../support/sessions.js';

describe('where an agent is', () => {
  it('is found where it was added, but not when it is incomplete', async () => {
    const folder = await temporaryFolder();
    const find = () => resolveAgentInstall(folder, 'copilot', '@github/copilot-sdk');
    expect(await find()).toBeUndefined();
    const path = join(folder, 'copilot/node_modules/@github/copilot-sdk');
    await mkdir(path, { recursive: true });
    await writeFile(join(path, 'package.json'), '{ "version": 7 }');
    expect(await find()).toBeUndefined();
    await writeFile(join(path, 'package.json'), '{ "version": "1.2.3" }');
    expect(await find()).toEqual({ path, version: '1.2.3' });
  });

  it('searches a program only in absolute folders of PATH', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'prog'), '', { mode: 0o755 });
    await writeFile(join(folder, 'data'), '', { mode: 0o644 });
    const at = (name: string, path: string | undefined) => findProgram(name, { PATH: path });
    expect(await at('prog', `/nonexistent:${folder}`)).toBe(join(folder, 'prog'));
    expect([await at('data', folder), await at('prog', '.:relative'), await at('prog', undefined)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('a missing Copilot', () => {
  it('says what to do, and opens nothing', async () => {
    const agent = new CopilotAgent({ agentsFolder: await temporaryFolder(), hostEnv: {} });
    expect(await agent.availability()).toEqual({
      state: 'unavailable',
      reason: 'GitHub Copilot is not installed here.',
      howToFix: expect.stringContaining('agenthost agents add copilot'),
      installable: { sizeHint: expect.any(Number) },
    });
    expect(await agent.listModels()).toEqual([]);
    await expect(agent.openSession(await openOptions())).rejects.toThrow('agenthost agents add copilot');
    await agent.dispose();
  });

  it('reports a missing runtime', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'copilot/node_modules/@github/copilot-sdk');
    await mkdir(path, { recursive: true });
    await writeFile(join(path, 'package.json'), '{ "version": "1.2.3" }');
    const agent = new CopilotAgent({ agentsFolder: folder, hostEnv: {} });
    expect(await agent.availability()).toMatchObject({
      state: 'unavailable',
      reason: expect.stringContaining('runtime'),
    });
  });

  it.each([
    ['{', 'is not a configuration'],
    ['[]', 'must be an object'],
    ['{ "env": { "A": 1 } }', 'env.A must be a string'],
    ['{ "providers": { "x": { "baseUrl": "file:///etc" } } }', 'providers.x.baseUrl must be an http'],
    ['{ "defaultProvider": "x" }', 'must be the name of one of its providers'],
  ])('reports what is wrong with the configuration %s', async (text, message) => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'copilot.json'), text);
    await expect(new CopilotAgent({ agentsFolder: folder }).listModels()).rejects.toThrow(message);
  });
});

describe("a session's own configuration", () => {
  const named = { local: { baseUrl: 'http://127.0.0.1:1/v1', models: ['m'] } };
  it("chooses one of the host's providers by name, brings one, or leaves it to the host", () => {
    const parse = (config: Record<string, unknown>) => parseSessionConfig(config, named, undefined).provider;
    expect(parse({})).toBeUndefined();
    expect(parseSessionConfig({}, named, 'local').provider).toBe(named.local);
    expect(parse({ provider: 'local' })).toBe(named.local);
    const own = { type: 'anthropic', baseUrl: 'https://example.com', apiKey: 'k', headers: { a: 'b' }, models: ['x'] };
    expect(parse({ provider: { ...own, bearerTokenProvider: 'no', __proto__: null } })).toEqual(own);
  });

  it.each([
    [{ provider: 'other' }, 'it has: local'],
    [{ provider: 'constructor' }, 'has no model provider'],
    [{ provider: 7 }, 'must be a name or an object'],
    [{ provider: {} }, 'baseUrl must be an http'],
    [{ provider: { baseUrl: 'http://x', apiKey: 7 } }, 'config.provider.apiKey must be a string'],
    [{ provider: { baseUrl: 'http://x', models: 'm' } }, 'must be a list'],
    [{ reasoningEffort: 'much' }, 'must be one of low'],
  ])('refuses %j', (config, message) => {
    expect(() => parseSessionConfig(config, named, undefined)).toThrow(message);
  });
});
