import type { AgentEvent } from '@agenthost/host';
import { describe, expect, it } from 'vitest';
import { ScriptedAgent } from '../../support/agents/scriptedAgent.js';
import { eventually, gone, log, makeSession, PATIENCE, seen, usePages, write } from '../pageWorld.js';

const pages = usePages();
const SLOW = { timeout: 6 * PATIENCE };
const LINES = Array.from({ length: 40 }, (_, n) => `line ${n}`).join('\n');

function* step(
  id: string,
  { command, fails = false }: { command?: string; fails?: boolean } = {},
): Iterable<AgentEvent> {
  const call = {
    toolCallId: id,
    toolName: 'any',
    displayName: command ? 'Terminal' : 'Read File',
    invocationMessage: command ? `Running \`${command}\`` : `Reading \`${id}\``,
    ...(command && { toolKind: 'terminal' as const, toolInput: command }),
    status: 'running' as const,
    confirmed: { how: 'notNeeded' as const },
  };
  yield { type: 'toolStart', toolCall: call };
  if (command) yield { type: 'toolUpdate', toolCallId: id, output: `${LINES}\nthe end of ${id}\n` };
  const pastTenseMessage = command ? `Ran \`${command}\`` : `Read \`${id}\``;
  const result = { success: !fails, pastTenseMessage, ...(command && { exitCode: fails ? 2 : 0 }) };
  yield { type: 'toolComplete', toolCallId: id, result };
}

const worker = () =>
  new ScriptedAgent({
    provider: 'mock',
    displayName: 'Worker',
    script: async function* ({ text }, turn): AsyncIterable<AgentEvent> {
      if (text === 'many') {
        for (let n = 0; n < 12; n++) yield* step(`file-${n}`);
        yield* step('types', { command: 'npm run types', fails: true });
        for (let n = 12; n < 20; n++) yield* step(`file-${n}`);
        yield* step('tests', { command: 'npm test', fails: true });
        yield { type: 'text', text: 'That is that.' };
      } else if (text === 'running') {
        for (let n = 0; n < 3; n++) yield* step(`file-${n}`);
        const [start] = step('slow one');
        if (start) yield start;
        await turn.forever();
      } else if (text === 'single') {
        yield* step('build', { command: 'npm run build' });
        yield { type: 'text', text: 'Built.' };
      } else if (text === 'last') {
        yield* step('list', { command: 'ls' });
      } else if (text === 'silent') {
        await turn.forever();
      }
    },
  });

async function open(message: string) {
  const host = await pages.host({ agents: [worker()] });
  const { hash } = await makeSession(host, [message]);
  return { host, page: await pages.visit(host, { hash }) };
}

describe('tool calls in a row', () => {
  it(
    'are one line that names a failure, with the last call; open, failed ones are shown and others on demand',
    SLOW,
    async () => {
      const { page } = await open('many');
      const group = log(page).locator('.group-steps');
      const head = group.getByRole('button', { name: 'Read 20 files, ran 1 command, 1 failed' });
      await seen(head);
      await seen(group.getByText('the last of 21'));
      expect(await group.locator('.group-calls .line').count()).toBe(1);
      await seen(group.locator('.group-calls').getByText('file-19'));
      await head.press('Enter');
      await seen(group.locator('.line.bad', { hasText: 'npm run types' }));
      expect(await group.locator('.group-calls .line').count()).toBe(7);
      await group.getByRole('button', { name: '9 more' }).click();
      await eventually(() => group.locator('.group-calls .line').count()).toBe(21);
      // The failed command at the end stands alone, with its last lines.
      const failed = log(page).locator('figure.terminal[data-outcome=failure]');
      await seen(failed.getByText('exit 2'));
      await seen(failed.getByText('the end of tests'));
      await seen(failed.getByText('last 2 of 41 lines'));
      expect(await failed.getByText('line 3', { exact: true }).count()).toBe(0);
      await failed.getByRole('button', { name: /^Show all/ }).click();
      await seen(failed.getByText('line 3'));
    },
  );

  it('never hold the one that runs', SLOW, async () => {
    const { page } = await open('running');
    await seen(log(page).getByRole('button', { name: 'Read 3 files' }));
    await seen(log(page).locator('.steps > .line.now', { hasText: 'slow one' }));
    expect(await log(page).locator('.group-steps', { hasText: 'slow one' }).count()).toBe(0);
  });
});

describe('a finished terminal', () => {
  it('that something follows is folded to its command, and stays open once it was opened', SLOW, async () => {
    const { page } = await open('single');
    const block = log(page).locator('figure.terminal');
    await seen(block.getByRole('img', { name: 'Done' }));
    await seen(log(page).getByText('Built.'));
    expect(await block.locator('.term').count()).toBe(0);
    await block.getByRole('button', { name: 'Show the output' }).press('Enter');
    await seen(block.getByText('the end of build'));
    await write(page, 'single');
    await eventually(() => log(page).getByText('Built.').count()).toBe(2);
    await seen(block.first().getByText('the end of build'));
  });

  it('that ends the turn is its answer, and shows its end', SLOW, async () => {
    const { page } = await open('last');
    const output = log(page).locator('figure.terminal .term');
    await seen(output.getByText('the end of list'));
    await eventually(() =>
      output.evaluate(
        (it) => it.scrollHeight > it.clientHeight && it.scrollTop + it.clientHeight >= it.scrollHeight - 2,
      ),
    ).toBe(true);
    await page.reload();
    await eventually(() =>
      output.evaluate(
        (it) => it.scrollHeight > it.clientHeight && it.scrollTop + it.clientHeight >= it.scrollHeight - 2,
      ),
    ).toBe(true);
  });
});

describe('a silent agent', () => {
  it('is waited for with seconds, and can be stopped after a minute', SLOW, async () => {
    const host = await pages.host({ agents: [worker()] });
    const { hash } = await makeSession(host);
    const page = await pages.visit(host, { hash });
    await page.clock.install();
    await write(page, 'silent');
    const waiting = log(page).getByText(/^Waiting for Worker… \d+ s$/);
    await page.clock.runFor(1_000);
    expect(await waiting.count()).toBe(0);
    await page.clock.runFor(4_000);
    await seen(waiting);
    const stop = log(page).getByRole('button', { name: 'Stop' });
    expect(await stop.count()).toBe(0);
    await page.clock.runFor(60_000);
    await seen(log(page).getByText('Waiting for Worker… 1 min'));
    await stop.click();
    await gone(log(page).getByText(/^Waiting for/));
    await seen(log(page).getByText('Stopped.'));
  });

  it('is not waited for while it waits for the user', SLOW, async () => {
    const host = await pages.host();
    const { hash } = await makeSession(host, ['confirm-tool']);
    const page = await pages.visit(host, { hash });
    await seen(page.locator('.ask'));
    await page.clock.install();
    await page.clock.runFor(10_000);
    await seen(page.locator('.ask .meta', { hasText: /waiting 1\d s/ }));
    expect(
      await log(page)
        .getByText(/^Waiting for/)
        .count(),
    ).toBe(0);
  });
});
