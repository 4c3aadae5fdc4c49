import { join } from 'node:path';
import type { PendingConfirmation, SessionHandle } from '@agenthost/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StubHost, startStubHost } from '../../support/agents/stubAgent.js';
import { until } from '../../support/until.js';

const OPTIONS = [
  { optionId: 'yes', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'no', name: 'Deny', kind: 'reject_once' },
];
const text = (words: string) => [{ type: 'content', content: { type: 'text', text: words } }];

/** An approval shows the tool, its whole input and for an edit the diff; where the agent gives less, it says so. */
describe('a call that waits for an answer', () => {
  let stub: StubHost;
  let session: SessionHandle;
  beforeAll(async () => {
    stub = await startStubHost();
    session = stub.session;
  });
  afterAll(() => stub.dispose());

  /** What is shown for a request about that call, which is denied then. */
  function shown(call: object): Promise<PendingConfirmation['toolCall']> {
    const toolCall = { toolCallId: `c${session.confirmed.value.turns.length}`, ...call };
    return askedBy(`ask-with ${JSON.stringify({ toolCall, options: OPTIONS })}`);
  }

  async function askedBy(prompt: string): Promise<PendingConfirmation['toolCall']> {
    const { length } = session.confirmed.value.turns;
    await session.send(prompt);
    const [asked] = await until(session.pendingConfirmations, (open) => open.length > 0, 'the question', 30_000);
    if (!asked) throw new Error('nobody was asked');
    await asked.deny();
    await until(session.confirmed, (state) => state.turns.length > length, 'the end', 30_000);
    return asked.toolCall;
  }

  it('shows arguments that are in its content, and names the tool', async () => {
    const call = await shown({
      title: 'push (git MCP Server)',
      kind: 'other',
      content: text('{"branch":"main","force":true}'),
    });
    expect(call).toMatchObject({ toolInput: '{"branch":"main","force":true}', language: 'json' });
    expect(call.confirmation.title).toBe('push (git MCP Server): allow this?');
  });

  it("shows the arguments and the agent's text beside them", async () => {
    const call = await shown({ name: 'git_push', rawInput: { branch: 'main' }, content: text('Pushes to everybody.') });
    expect(call.toolInput).toBe('{\n  "branch": "main"\n}\n\nPushes to everybody.');
    expect(call.confirmation.title).toBe('Git Push: allow this?');
  });

  it('keeps earlier arguments when the question has none', async () => {
    const call = { toolCallId: 'told', title: 'pictures_take', kind: 'other', rawInput: { why: 'because' } };
    expect((await askedBy(`ask-told ${JSON.stringify(call)}`)).toolInput).toBe('{\n  "why": "because"\n}');
  });

  it('shows the diff of an edit', async () => {
    const path = join(stub.host.stateDir, 'a.txt');
    const call = await shown({ kind: 'edit', content: [{ type: 'diff', path, oldText: 'one\n', newText: 'two\n' }] });
    expect(call).toMatchObject({ language: 'diff', toolInput: expect.stringContaining('-one\n+two') });
    expect(call.confirmation.title).toBe('Edit File: allow this?');
  });

  it('shows what else a command is run with', async () => {
    const rawInput = { command: 'ls', description: 'Lists', cwd: '/etc', env: { A: '1' }, timeout: null };
    const call = await shown({ kind: 'execute', rawInput });
    expect(call.toolInput).toBe('ls');
    expect(call.confirmation.title).toBe('Terminal (cwd: /etc, env: { "A": "1" }): allow this?');
  });

  it.each([
    [{ kind: 'other', title: 'deploy' }, 'deploy: allow this? Stub does not show what it would do.'],
    [
      { kind: 'edit', locations: [{ path: '/x/a.txt' }] },
      'Edit File: Editing `/x/a.txt`: allow this? Stub does not show what it would do.',
    ],
    [{ kind: 'edit', rawInput: { path: '/x' } }, 'Edit File: allow this? Stub does not show the change as a diff.'],
    [{ kind: 'execute' }, 'Terminal: allow this? Stub does not show the command.'],
  ])('says that the agent shows less: %o', async (call, title) => {
    expect((await shown(call)).confirmation.title).toBe(title);
  });

  it('can be read completely when it is long, and says so when it is too long for that', async () => {
    const long = await shown({ kind: 'other', title: 'x', rawInput: { text: `${'a'.repeat(300_000)}END` } });
    expect(long.toolInputRef).toBeDefined();
    expect(String(long.toolInput).length).toBeLessThan(20_000);
    const { bytes } = await (await stub.host.connect()).fetchContent(long.toolInputRef?.uri ?? '');
    expect(Buffer.from(bytes).toString()).toContain('aEND"');
    const longer = await askedBy('ask-long 1500000');
    expect(longer.toolInput).toContain('500,000 more characters, which are not shown');
  });

  it.each([[20], [2_000], [100_000]])('is bounded for an input that is nested %i deep', async (depth) => {
    const { toolInput = '' } = await askedBy(`ask-deep ${depth}`);
    expect(toolInput).toMatch(depth > 10_000 ? /nested too deeply/ : /1/);
    expect(toolInput.length).toBeLessThan(20_000);
  });

  it('shows the input also for a second question about the same call', async () => {
    await session.send('ask-twice');
    const [first] = await until(session.pendingConfirmations, (open) => open.length > 0, 'the first', 30_000);
    await first?.approve();
    const [second] = await until(session.pendingPermissions, (open) => open.length > 0, 'the second', 30_000);
    expect(second?.request.message).toBe('And outside of the folder?\n\n```json\n{\n  "to": "/etc"\n}\n```');
    await second?.answer({ approved: false });
    await until(session.confirmed, (state) => state.activeTurn === undefined, 'the end', 30_000);
  });
});
