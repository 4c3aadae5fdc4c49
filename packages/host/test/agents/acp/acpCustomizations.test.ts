import { expect, it } from 'vitest';
import type { AgentCustomization } from '../../../src/agents/agentCustomization.js';
import { openSession } from '../support/sessions.js';
import { stubAgent } from './support.js';

const server = (name: string, mcpServer: NonNullable<AgentCustomization['mcpServer']>): AgentCustomization => ({
  kind: 'mcpServer',
  uri: `file:///mcp.json#${name}`,
  name,
  path: '/mcp.json',
  mcpServer,
});
const CUSTOMIZATIONS: readonly AgentCustomization[] = [
  server('local', { type: 'stdio', command: 'run', args: ['-x'], env: { A: 'b' } }),
  server('remote', { type: 'http', url: 'https://example.com/', headers: { H: 'v' } }),
  {
    kind: 'instructions',
    uri: 'file:///AGENTS.md',
    name: 'AGENTS',
    path: '/AGENTS.md',
    content: 'Be brief.',
    appliesTo: '*.ts',
  },
];

async function answers(env: Record<string, string>, ...prompts: string[]) {
  const { session, recorder } = await openSession(await stubAgent(env), { customizations: CUSTOMIZATIONS });
  const said: string[] = [];
  for (const [index, text] of prompts.entries()) {
    const before = recorder.text().length;
    await session.send({ text });
    await recorder.end(index + 1);
    said.push(recorder.text().slice(before));
  }
  return { said: said.map((text) => JSON.parse(text) as unknown), notices: recorder.of('notice') };
}

it('passes MCP servers that the agent can reach, and says which it can not', async () => {
  const local = { name: 'local', command: 'run', args: ['-x'], env: [{ name: 'A', value: 'b' }] };
  const remote = {
    type: 'http',
    name: 'remote',
    url: 'https://example.com/',
    headers: [{ name: 'H', value: 'v' }],
  };
  const all = await answers({ STUB_MCP: '1' }, 'servers');
  expect(all).toEqual({ said: [[local, remote]], notices: [] });
  const some = await answers({}, 'servers');
  expect(some.said).toEqual([[local]]);
  expect(some.notices).toMatchObject([
    { text: 'This agent does not take MCP servers over http: remote was left out.' },
  ]);
});

it('sends instructions after the first message', async () => {
  const text = 'Instructions for files that match *.ts, from /AGENTS.md:\n\nBe brief.';
  expect((await answers({}, 'blocks', 'blocks')).said).toEqual([
    [
      { type: 'text', text: 'blocks' },
      { type: 'resource', resource: { uri: 'file:///AGENTS.md', text, mimeType: 'text/markdown' } },
    ],
    [{ type: 'text', text: 'blocks' }],
  ]);
  expect((await answers({ STUB_PLAIN: '1' }, 'blocks')).said).toEqual([
    [
      { type: 'text', text: 'blocks' },
      { type: 'text', text },
    ],
  ]);
});

it('leaves out what the agent reads by itself', async () => {
  const { customizations } = await stubAgent({}, {});
  expect(customizations).toMatchObject({ takes: ['instructions', 'mcpServer'], obeysWorkspace: true });
  expect(customizations.readsByItself?.('instructions', 'AGENTS.md')).toBe(false);
});
