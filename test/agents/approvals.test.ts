import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { text, toolCall, toolCalls } from '../support/modelServer/modelReply.js';
import { ACP_CASES } from './support/acpCases.js';
import { recordCapability } from './support/capabilities.js';
import { confirmation, turnEnded } from './support/copilotHost.js';
import { startReportsHost } from './support/reportsHost.js';

const takePicture = ({ tools }: { readonly tools: readonly string[] }) =>
  toolCall(tools.find((name) => name.endsWith('take')) ?? 'mcp__pictures__take', { why: 'FOR-THE-ALBUM' });

/** In its folder Codex writes without a question. */
const OUTSIDE = `/var/tmp/agenthost-outside-${crypto.randomUUID()}.txt`;

const create = (path: string, content: string) => ({ name: 'create', input: { path, file_text: content } });

/** The approver sees what is approved, with every agent as users get it. */
describe.each([
  { provider: 'copilot', shows: 'arguments' },
  { provider: 'claude', shows: 'arguments' },
  // It shows them in the words of its question.
  { provider: 'codex', shows: 'question' },
  { provider: 'gemini', shows: 'arguments' },
  // It asks about a tool of an MCP server without the arguments, unless it told them just before.
  { provider: 'opencode', shows: 'name' },
  // It takes no MCP servers that are programs.
  { provider: 'copilot-acp', shows: 'nothing' },
] as const)('an approval for $provider', ({ provider, shows }) => {
  it('shows the arguments of a tool or says that it does not, and the diff of an edit', {
    timeout: 240_000,
  }, async () => {
    const { model, cwd, open } = await startReportsHost(provider);
    const write = ACP_CASES.find((one) => one.provider === provider)?.write ?? create;
    const file = provider === 'codex' ? OUTSIDE : join(cwd, 'new.txt');
    model
      .script('take one', takePicture, text('Taken.'))
      .script('write it', toolCalls(write(file, 'WRITTEN BY IT\n')), text('Written.'));
    const session = await open();
    let turns = 0;
    const asked = async (prompt: string) => {
      await session.send(prompt);
      const pending = await confirmation(session);
      await pending.deny();
      await turnEnded(session, ++turns);
      return pending.toolCall;
    };
    if (shows !== 'nothing') {
      const { toolInput = '', confirmation, displayName } = await asked('take one');
      expect(`${confirmation.title} ${displayName}`).toMatch(/take/i);
      if (shows === 'arguments') expect(toolInput).toContain('FOR-THE-ALBUM');
      else if (shows === 'question') expect(confirmation.title).toContain('FOR-THE-ALBUM');
      else if (!toolInput.includes('FOR-THE-ALBUM'))
        expect(confirmation.title).toContain('does not show what it would do');
    }
    const edit = await asked('write it');
    expect(edit).toMatchObject({ language: 'diff', toolInput: expect.stringContaining('+WRITTEN BY IT') });
    expect(edit.toolInput).toContain(basename(file));
    const note = { arguments: undefined, question: undefined, name: 'of MCP tools only the name', nothing: 'edits' }[
      shows
    ];
    recordCapability(provider, 'input', 'yes', note);
  });
});
