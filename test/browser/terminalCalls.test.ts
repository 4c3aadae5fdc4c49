import type { AgentEvent } from '@agenthost/host';
import type { ToolCallResult } from '@agenthost/protocol';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { ScriptedAgent } from '../support/agents/scriptedAgent.js';
import { eventually, expectNoOverflow, log, makeSession, PATIENCE, seen, usePages } from './pageWorld.js';

const pages = usePages();
const SLOW = { timeout: 6 * PATIENCE };

const DEPLOY = [
  'set -e',
  'for host in one two; do',
  '  ssh "$host" \'systemctl restart app\'',
  'done',
  'rm -rf /srv/old',
].join('\n');
const PS = 'Get-ChildItem -Recurse |\n  Where-Object { $_.Length -gt 1MB }';
/** 64 KiB in two thousand lines, the last of which must not be hidden. */
const HUGE = `${Array.from({ length: 2_047 }, (_, n) => `echo "line ${n}" # ${'x'.repeat(12)}`.padEnd(31)).join('\n')}\ntouch /the-end`;

const COMMANDS: Readonly<Record<string, { readonly command: string; readonly language?: string }>> = {
  deploy: { command: DEPLOY, language: 'shellscript' },
  powershell: { command: PS, language: 'powershell' },
  huge: { command: HUGE },
  hidden: { command: 'echo \u001b]0;; rm -rf /srv ;\u0007 ok\rls' },
  'one line': { command: `echo ${'very '.repeat(60)}long` },
};

function base(name: string) {
  const { command, language } = COMMANDS[name] ?? { command: name };
  return {
    toolCallId: `call ${name}`,
    toolName: 'any',
    displayName: 'Shell',
    invocationMessage: 'Running a command',
    toolKind: 'terminal',
    toolInput: command,
    ...(language !== undefined && { language }),
  } as const;
}

/** `ask NAME` asks before it runs that command; `NAME` runs it; `fail NAME` has it fail. */
const terminals = () =>
  new ScriptedAgent({
    provider: 'mock',
    displayName: 'Terminals',
    script: async function* ({ text }, turn): AsyncIterable<AgentEvent> {
      const [, verb, name = ''] = /^(ask |fail |)(.*)$/.exec(text) ?? [];
      const call = base(name);
      const { toolCallId } = call;
      if (verb === 'ask ') {
        const answered = turn.answer(toolCallId);
        const confirmation = { title: 'Run it?', editable: name !== 'powershell' };
        yield { type: 'toolStart', toolCall: { ...call, status: 'pendingConfirmation', confirmation } };
        const { approved, editedToolInput } = await answered;
        if (!approved) return;
        yield { type: 'text', text: `Ran ${(editedToolInput ?? call.toolInput).split('\n').length} lines.` };
      } else {
        yield { type: 'toolStart', toolCall: { ...call, status: 'running', confirmed: { how: 'notNeeded' } } };
        yield { type: 'toolUpdate', toolCallId, output: 'some output\n' };
      }
      const success = verb !== 'fail ';
      const result: ToolCallResult = { success, pastTenseMessage: 'Ran it', exitCode: success ? 0 : 3 };
      yield { type: 'toolComplete', toolCallId, result };
    },
  });

async function open(message: string, options: Parameters<typeof pages.visit>[1] = {}): Promise<Page> {
  const host = await pages.host({ agents: [terminals()] });
  const { hash } = await makeSession(host, [message]);
  return pages.visit(host, { hash, ...options });
}

/** The text as it is laid out, and how many lines of the screen it takes. */
async function shown(block: Locator): Promise<{ text: string; lines: number }> {
  return block.evaluate((element) => {
    const { lineHeight, paddingTop, paddingBottom } = getComputedStyle(element);
    const height = element.scrollHeight - Number.parseFloat(paddingTop) - Number.parseFloat(paddingBottom);
    return { text: element.textContent ?? '', lines: Math.round(height / Number.parseFloat(lineHeight)) };
  });
}

const coloured = (block: Locator) => block.locator('span[style*="--code-token"]');

describe('a terminal call', () => {
  it('shows every line of its command in colours, its output below, and its exit', SLOW, async () => {
    const page = await open('deploy');
    const block = log(page).locator('figure.terminal');
    await seen(coloured(block.locator('.command')));
    expect(await shown(block.locator('.command'))).toEqual({ text: DEPLOY, lines: 5 });
    await seen(block.locator('.exit.ok', { hasText: 'exit 0' }));
    const [command, output] = await Promise.all([
      block.locator('.command').boundingBox(),
      block.locator('.term').boundingBox(),
    ]);
    expect((output?.y ?? 0) >= (command?.y ?? 0) + (command?.height ?? 0)).toBe(true);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await block.getByRole('button', { name: 'Copy command' }).click();
    await eventually(() => page.evaluate(() => navigator.clipboard.readText())).toBe(DEPLOY);
  });

  it('is red when it failed, and takes its language from the call', SLOW, async () => {
    const page = await open('fail powershell');
    const block = log(page).locator('figure.terminal[data-outcome=failure]');
    await seen(block.locator('.exit.bad', { hasText: 'exit 3' }));
    // A shell would take neither for what it is.
    await seen(coloured(block).filter({ hasText: /^Get-ChildItem/ }));
    await seen(coloured(block).filter({ hasText: '-gt' }));
  });

  it('wraps a line that is longer than the column, also on a phone', SLOW, async () => {
    const page = await open('one line', { viewport: { width: 360, height: 740 } });
    const block = log(page).locator('.command');
    await seen(block);
    const { text, lines } = await shown(block);
    expect([text, lines > 5]).toEqual([COMMANDS['one line']?.command, true]);
    await expectNoOverflow(page, 'a long command');
  });
});

describe('before a command is allowed', () => {
  it.each([
    ['in the conversation', { width: 1280, height: 800 }],
    ['on a phone', { width: 360, height: 740 }],
  ])('%s every line of it is shown, in colours', SLOW, async (_, viewport) => {
    const page = await open('ask deploy', { viewport });
    const prompt = page.getByRole('region', { name: 'Needs your answer: Run it?' });
    await seen(coloured(prompt.locator('pre.cmd-text')));
    const field = prompt.getByRole('textbox', { name: 'Command, editable' });
    expect(await field.inputValue()).toBe(DEPLOY);
    const [text, area, around] = await Promise.all(
      [prompt.locator('pre.cmd-text'), field, prompt.locator('.cmd-field')].map((one) => one.boundingBox()),
    );
    // The field lies over the coloured text, and nothing of it is cut off.
    expect(area).toEqual(text);
    expect((around?.height ?? 0) >= (text?.height ?? 0)).toBe(true);
    expect((await shown(prompt.locator('pre.cmd-text'))).lines).toBeGreaterThanOrEqual(5);
    await expectNoOverflow(page, 'a prompt with a command of several lines');
    await field.press('Control+End');
    await field.press('Shift+Enter');
    await field.pressSequentially('echo done');
    await eventually(() => prompt.locator('pre.cmd-text').textContent()).toContain('echo done');
    await field.press('Enter');
    await seen(log(page).getByText('Ran 6 lines.'));
  });

  it('in the tray every line of it is shown, and again when it was answered', SLOW, async () => {
    const page = await open('ask powershell');
    await seen(page.locator('.ask'));
    await page.locator('[data-tray]').click();
    const tray = page.getByRole('dialog', { name: 'Needs input' });
    const text = tray.locator('pre.cmd-text');
    await seen(coloured(text));
    expect(await shown(text)).toMatchObject({ text: PS, lines: 2 });
    await tray.getByRole('button', { name: /^Allow once/ }).click();
    await seen(coloured(tray.locator('.need.past .command')));
    expect(await shown(tray.locator('.need.past .command'))).toEqual({ text: PS, lines: 2 });
  });

  it('nothing of it is hidden by terminal sequences', SLOW, async () => {
    const page = await open('ask hidden');
    const prompt = page.getByRole('region', { name: 'Needs your answer: Run it?' });
    const shownAs = 'echo [U+001B]]0;; rm -rf /srv ;[U+0007] ok[U+000D]ls';
    await eventually(() => prompt.locator('pre.cmd-text').textContent()).toBe(shownAs);
    expect(await prompt.getByRole('textbox', { name: 'Command, editable' }).inputValue()).toBe(shownAs);
    await prompt.getByRole('button', { name: /^Allow once/ }).click();
    // Unchanged, it is sent as it came.
    await seen(log(page).getByText('Ran 1 lines.'));
    await eventually(() => log(page).locator('figure.terminal .command').textContent()).toBe(shownAs);
  });

  it('one of 64 KiB is complete, scrolls to its end, and keeps the page responsive', SLOW, async () => {
    expect(HUGE.length).toBeGreaterThan(64 * 1024 - 64);
    const page = await open('ask huge');
    const prompt = page.getByRole('region', { name: 'Needs your answer: Run it?' });
    const text = prompt.locator('pre.cmd-text');
    await seen(coloured(text));
    expect(await shown(text)).toMatchObject({ text: HUGE, lines: 2_048 });
    // Bounded, whatever it is; the highlighter is in a worker, so that nothing of it runs in the page.
    expect(await text.locator('span span').count()).toBeLessThan(7_000);
    const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    expect(loaded.filter((name) => /highlightWorker/.test(name)).length).toBeLessThanOrEqual(1);
    expect(loaded.filter((name) => /\/(?:bash|core|engine|javascript)-[^/]*\.js$/.test(name))).toEqual([]);
    const scrolled = await prompt.locator('.cmd-field').evaluate((field) => {
      field.scrollTop = field.scrollHeight;
      return field.scrollTop + field.clientHeight >= field.scrollHeight - 1 && field.scrollTop > 0;
    });
    expect(scrolled).toBe(true);
    await prompt.getByRole('button', { name: /^Allow once/ }).click();
    await seen(log(page).getByText('Ran 2048 lines.'));
    expect((await shown(log(page).locator('figure.terminal .command'))).lines).toBe(2_048);
  });
});
