import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionHandle } from '@agenthost/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { text } from '../support/modelServer/modelReply.js';
import type { ModelRequest } from '../support/modelServer/modelRequest.js';
import { until } from '../support/until.js';
import { writeUnder } from '../support/writeUnder.js';
import { type CopilotHost, PATIENCE_MS, startCopilotHost, turnEnded } from './support/copilotHost.js';
import { installAgent } from './support/installAgents.js';

beforeAll(() => installAgent('copilot'));

const skill = (name: string) => `---\nname: ${name}\ndescription: The skill ${name}.\n---\nDo ${name}.\n`;

/** All that the model was told with a message. */
async function told(host: CopilotHost, session: SessionHandle, prompt: string): Promise<string> {
  const count = session.confirmed.value.turns.length + 1;
  await session.send(prompt);
  await turnEnded(session, count);
  const request = await host.model.request(
    ({ prompt: asked, tools }: ModelRequest) => tools.length > 0 && asked.includes(prompt),
  );
  return JSON.stringify(request.body);
}

describe('customizations of a Copilot', () => {
  it('reach it once, and not at all when they are turned off', async () => {
    const host = await startCopilotHost();
    host.model.script('first', text('REPLY-ONE')).script('second', text('two'));
    const agents = await writeUnder(host.cwd, 'AGENTS.md', 'INSTRUCTION-A');
    await writeUnder(host.cwd, 'CLAUDE.md', 'INSTRUCTION-C');
    const unsaid = await writeUnder(host.cwd, 'GEMINI.md', 'INSTRUCTION-N');
    await writeUnder(host.cwd, '.github/copilot-instructions.md', 'INSTRUCTION-G');
    await writeUnder(host.cwd, '.github/skills/skill-one/SKILL.md', skill('skill-one'));
    const two = await writeUnder(host.cwd, '.claude/skills/skill-two/SKILL.md', skill('skill-two'));
    const atHome = await writeUnder(host.home, '.copilot/skills/skill-home/SKILL.md', skill('skill-home'));
    const critic = await writeUnder(
      host.cwd,
      '.github/agents/critic.agent.md',
      '---\ndescription: AGENT-CRITIC\n---\nYou find faults.',
    );
    const session = await (await host.connect()).createSession({ provider: 'copilot' });
    await session.ready();
    // Copilot is already open, without a message: it is reopened.
    await session.toggleCustomization(unsaid, false);
    const first = await told(host, session, 'first');
    for (const word of [
      'INSTRUCTION-A',
      'INSTRUCTION-C',
      'INSTRUCTION-G',
      'The skill skill-one.',
      'The skill skill-two.',
      'The skill skill-home.',
      'AGENT-CRITIC',
    ]) {
      expect([word, first.split(word).length - 1]).toEqual([word, 1]);
    }
    expect(first).not.toContain('INSTRUCTION-N');
    for (const uri of [agents, two, atHome, critic]) await session.toggleCustomization(uri, false);
    const second = await told(host, session, 'second');
    const there = [
      'INSTRUCTION-A',
      'INSTRUCTION-C',
      'The skill skill-one.',
      'The skill skill-two.',
      'The skill skill-home.',
      'AGENT-CRITIC',
    ].filter((word) => second.includes(word));
    expect(there).toEqual(['INSTRUCTION-C', 'The skill skill-one.']);
    expect(second).toContain('REPLY-ONE');
  });

  it('start no server of the project before the folder is trusted', async () => {
    const host = await startCopilotHost();
    host.model.script('first', text('one')).script('second', text('two'));
    const made = join(host.cwd, 'made');
    await writeUnder(
      host.cwd,
      '.mcp.json',
      JSON.stringify({ mcpServers: { evil: { command: 'touch', args: [made] } } }),
    );
    const client = await host.connect();
    const session = await client.createSession({ provider: 'copilot' });
    await session.ready();
    await session.send('first');
    const [asked] = await until(session.pendingPermissions, (open) => open.length > 0, 'the question', PATIENCE_MS);
    await asked?.answer({ approved: false });
    await turnEnded(session);
    expect(existsSync(made)).toBe(false);
    const other = await client.createSession({ provider: 'copilot' });
    await other.ready();
    await other.send('second');
    const [again] = await until(other.pendingPermissions, (open) => open.length > 0, 'the question', PATIENCE_MS);
    expect(existsSync(made)).toBe(false);
    await again?.answer({ approved: true });
    await turnEnded(other);
    expect(existsSync(made)).toBe(true);
  });
});
