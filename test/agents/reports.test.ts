import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostClient, SessionHandle } from '@agenthost/client';
import type { Turn } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { text, toolCall } from '../support/modelServer/modelReply.js';
import { png } from '../support/samples.js';
import { recordCapability } from './support/capabilities.js';
import { PATIENCE_MS } from './support/copilotHost.js';
import { notices, PICTURE, resultRefs, said, startReportsHost } from './support/reportsHost.js';

const bytesOf = async (client: HostClient, uri = '') => Buffer.from((await client.fetchContent(uri)).bytes);

const textOf = ({ responseParts }: Turn): string =>
  responseParts.map((part) => (part.kind === 'markdown' ? part.content : '')).join('');

async function checkpoints(session: SessionHandle): Promise<string[]> {
  const { items } = await session.listArtifacts({ kind: 'checkpoint' });
  return items.map(({ name, title }) => `${name}: ${title}`);
}

/** The one tool of the MCP server, under the name that the agent gives it. */
const takePicture = ({ tools }: { readonly tools: readonly string[] }) =>
  toolCall(tools.find((name) => name.endsWith('take')) ?? 'mcp__pictures__take', {});

describe.each([
  { provider: 'copilot', view: (path: string) => toolCall('view', { path }), find: [], hasAudio: true },
  {
    provider: 'claude',
    view: (path: string) => toolCall('Read', { file_path: path }),
    // It shows its model the tools of MCP servers when that looks for them, and then says "Tool loaded".
    find: [toolCall('ToolSearch', { query: 'select:mcp__pictures__take', max_results: 5 })],
    hasAudio: false,
  },
  { provider: 'opencode', view: (path: string) => toolCall('read', { filePath: path }), find: [], hasAudio: false },
] as const)('what tools of $provider return', ({ provider, view, find, hasAudio }) => {
  it('is shown: a picture from the folder, and one from an MCP server', { timeout: 240_000 }, async () => {
    const { model, client, cwd, open } = await startReportsHost(provider);
    model
      .script('look at it', view(join(cwd, 'picture.png')), text('Seen.'))
      .script('take one', ...find, takePicture, text('Taken.'))
      .script('Tool loaded', takePicture, text('Taken.'));
    const session = await open();
    const seen = resultRefs(await said(session, 'look at it'));
    expect(seen).toMatchObject([{ mimeType: 'image/png', sizeHint: PICTURE.length }]);
    expect((await bytesOf(client, seen[0]?.uri)).equals(PICTURE)).toBe(true);
    const taken = resultRefs(await said(session, 'take one'));
    expect(taken.map(({ mimeType }) => mimeType)).toEqual(['image/png', ...(hasAudio ? ['audio/wav'] : [])]);
    expect((await bytesOf(client, taken[0]?.uri)).equals(png(70, 70))).toBe(true);
    recordCapability(provider, 'imageOut', 'yes', hasAudio ? 'and audio' : undefined);
  });
});

it('of a picture from an MCP server, Gemini CLI sends only the type', async () => {
  const { model, open } = await startReportsHost('gemini');
  model.script('take one', takePicture, text('Taken.'));
  const turn = await said(await open(), 'take one');
  expect(turn.toolCalls).toMatchObject([{ result: { toolOutput: expect.stringContaining('[Image: image/png]') } }]);
  expect(resultRefs(turn)).toEqual([]);
  recordCapability('gemini', 'imageOut', 'no', 'only their type');
});

it.each([
  { provider: 'codex', tool: 'view_image', shown: 'picture.png', note: 'only a link to the file' },
  { provider: 'copilot-acp', tool: 'view', shown: 'Viewed image file', note: 'only that it was viewed' },
] as const)('of a picture from the folder, $provider sends $note', async ({ provider, tool, shown, note }) => {
  const { model, cwd, open } = await startReportsHost(provider);
  model.script('look at it', toolCall(tool, { path: join(cwd, 'picture.png') }), text('Seen.'));
  const turn = await said(await open(), 'look at it');
  expect(turn.toolCalls).toMatchObject([{ result: { success: true, toolOutput: expect.stringContaining(shown) } }]);
  expect(resultRefs(turn)).toEqual([]);
  recordCapability(provider, 'imageOut', 'no', note);
});

describe('compaction', () => {
  it('of Copilot makes a compaction summary, which a fork before it does not have', { timeout: 240_000 }, async () => {
    const { model, client, folderOf, open } = await startReportsHost('copilot', { maxPromptTokens: 11_000 });
    model
      .script(
        'create a detailed summary',
        text('<overview>\nWe counted.\n</overview><checkpoint_title>Counting words</checkpoint_title>'),
      )
      .script('say', text('Said.'));
    const session = await open();
    await said(session, `say a lot ${'of words '.repeat(1_500)}`);
    // This one is too much. Copilot summarizes in the background, and may be done when the turn is over.
    await said(session, 'say something');
    await expect
      .poll(() => checkpoints(session), { timeout: PATIENCE_MS })
      .toEqual(['001-counting-words.md: Counting words']);
    const folder = join(folderOf(session), 'checkpoints');
    expect(await readFile(join(folder, '001-counting-words.md'), 'utf8')).toBe(
      '# Counting words\n\n## Overview\n\nWe counted.\n',
    );
    expect(await readFile(join(folder, 'index.md'), 'utf8')).toContain('[Counting words](001-counting-words.md)');
    await said(session, 'say the end');
    const [first] = session.confirmed.value.turns;
    const cut = await client.forkSession({ source: session.uri, toTurnId: first?.id ?? '' });
    expect(await checkpoints(cut)).toEqual([]);
    const whole = await client.forkSession({ source: session.uri });
    expect(await checkpoints(whole)).toEqual(['001-counting-words.md: Counting words']);
    recordCapability('copilot', 'compaction', 'yes');
  });

  it('of Claude makes a compaction summary, which a fork before it does not have', { timeout: 240_000 }, async () => {
    const { model, client, open } = await startReportsHost('claude');
    model
      .script(
        'detailed summary of the conversation',
        text('<analysis>\nHm.\n</analysis>\n\n<summary>\n# How it went\n\nWe greeted.\n</summary>'),
      )
      .script('say hello', text('Hello.'));
    const session = await open();
    const first = await said(session, 'say hello');
    const compacted = await said(session, '/compact');
    expect(notices(compacted)).toEqual([
      'Claude Code has summarized the conversation so far to make room. The summary is kept as a checkpoint of this session.',
    ]);
    expect(await checkpoints(session)).toEqual(['001-how-it-went.md: How it went']);
    const cut = await client.forkSession({ source: session.uri, toTurnId: first.id });
    expect(await checkpoints(cut)).toEqual([]);
    const whole = await client.forkSession({ source: session.uri, toTurnId: compacted.id });
    expect(await checkpoints(whole)).toEqual(['001-how-it-went.md: How it went']);
    recordCapability('claude', 'compaction', 'yes');
  });

  it('of Codex is reported, without its summary', { timeout: 240_000 }, async () => {
    const { model, open } = await startReportsHost('codex');
    model.script('say hello', text('Hello.'));
    const session = await open();
    await said(session, 'say hello');
    expect(notices(await said(session, '/compact'))).toEqual([
      'Codex has summarized the conversation so far to make room. It does not show the summary.',
    ]);
    expect(await checkpoints(session)).toEqual([]);
    recordCapability('codex', 'compaction', 'no', 'only that it happened');
  });

  it.each([
    { provider: 'gemini', command: '/compress', said: 'You said: /compress', note: 'it has no such command over ACP' },
    // The model's answer to its request for a summary: the scripted model takes that for the request for a title.
    { provider: 'opencode', command: '/compact', said: 'A scripted title', note: 'only as an answer' },
    { provider: 'copilot-acp', command: '/compact', said: 'Compacted', note: 'only that it happened' },
  ] as const)(
    'of $provider makes no summary: $note',
    { timeout: 240_000 },
    async ({ provider, command, said: words, note }) => {
      const { model, open } = await startReportsHost(provider);
      model.script('say hello', text('Hello.'));
      const session = await open();
      await said(session, 'say hello');
      expect(textOf(await said(session, command))).toContain(words);
      expect(await checkpoints(session)).toEqual([]);
      recordCapability(provider, 'compaction', 'no', note);
    },
  );
});

describe.each([
  { provider: 'copilot', first: { id: 'interactive', name: 'Interactive' }, plan: { id: 'plan', name: 'Plan' } },
  { provider: 'claude', first: { id: 'default', name: 'Manual' }, plan: { id: 'plan', name: 'Plan' } },
] as const)('the mode of $provider', ({ provider, first, plan }) => {
  it('is in the state, and can be chosen at the beginning', { timeout: 240_000 }, async () => {
    const { open } = await startReportsHost(provider);
    expect((await open()).confirmed.value.summary.mode).toEqual(first);
    expect((await open({ mode: 'plan' })).confirmed.value.summary.mode).toEqual(plan);
    await expect(open({ mode: 'wild' })).rejects.toThrow(/There is no mode "wild"\. There are: .*plan/);
  });
});
