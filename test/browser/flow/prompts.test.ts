import type { AgentEvent } from '@agenthost/host';
import { describe, expect, it } from 'vitest';
import { ScriptedAgent } from '../../support/agents/scriptedAgent.js';
import { eventually, gone, log, makeSession, PATIENCE, seen, usePages } from '../pageWorld.js';

const pages = usePages();
const SLOW = { timeout: 6 * PATIENCE };

const LINES = Array.from({ length: 60 }, (_, n) => `+added ${n}`).join('\n');
const DIFF = `src/reconnect.ts\n@@ -56,2 +56,62 @@\n const a = 1\n-const b = old(a)\n+const b = fresh(a)\n${LINES}\n`;

const editor = () =>
  new ScriptedAgent({
    provider: 'mock',
    displayName: 'Editor',
    script: async function* ({ text }, turn): AsyncIterable<AgentEvent> {
      const answered = turn.answer('edit');
      yield {
        type: 'toolStart',
        toolCall: {
          toolCallId: 'edit',
          toolName: 'edit',
          displayName: 'Edit File',
          invocationMessage: 'Editing `src/reconnect.ts`',
          language: 'diff',
          toolInput: text === 'odd' ? `${DIFF}and something else` : DIFF,
          status: 'pendingConfirmation',
          confirmation: {
            title: 'Edit File: allow this?',
            options: [
              { id: 'once', label: 'Allow once', kind: 'approve' },
              { id: 'always', label: 'Accept edits', kind: 'approve', explicit: true },
              { id: 'no', label: 'No', kind: 'deny' },
            ],
          },
        },
      };
      const { approved, reason } = await answered;
      if (approved)
        yield { type: 'toolComplete', toolCallId: 'edit', result: { success: true, pastTenseMessage: 'Edited it' } };
      yield { type: 'text', text: approved ? 'Allowed.' : `Denied: ${reason ?? 'no reason'}.` };
    },
  });

async function open(message: string, options: Parameters<typeof pages.visit>[1] = {}) {
  const host = await pages.host({ agents: [editor()] });
  const { hash } = await makeSession(host, [message]);
  const page = await pages.visit(host, { hash, ...options });
  const prompt = page.getByRole('region', { name: /^Needs your answer/ });
  await seen(prompt);
  return { page, prompt };
}

describe('the question about an edit', () => {
  it('shows the change in colours, its first lines, and all of it on demand', SLOW, async () => {
    const { prompt } = await open('edit');
    await seen(prompt.locator('.diff .l.del', { hasText: 'old' }));
    await seen(prompt.locator('.diff .l.add mark', { hasText: 'fresh' }));
    expect(await prompt.locator('.diff .l').count()).toBe(14);
    expect(await prompt.locator('.diff .l').first().locator('i').allTextContents()).toEqual(['56', '56']);
    expect(await prompt.getByRole('textbox').count()).toBe(0);
    await prompt.getByRole('button', { name: 'Show all 63' }).click();
    await eventually(() => prompt.locator('.diff .l').count()).toBe(63);
    await seen(
      prompt.getByText('“Accept edits” also counts for later requests like this one, as Editor understands it.'),
    );
  });

  it('shows everything as text when not all of it is a diff', SLOW, async () => {
    const { prompt } = await open('odd');
    await eventually(() => prompt.getByRole('textbox').inputValue()).toContain('and something else');
    expect(await prompt.locator('.diff').count()).toBe(0);
  });

  it('takes a no with a reason, by keys alone, and the focus stays in the conversation', SLOW, async () => {
    const { page, prompt } = await open('edit');
    await prompt.focus();
    await page.keyboard.press('b');
    const field = prompt.getByRole('textbox', { name: 'Why not' });
    await eventually(() => field.evaluate((it) => it === document.activeElement)).toBe(true);
    // Its letters are no answers.
    await page.keyboard.type('yes and xs');
    expect(await field.inputValue()).toBe('yes and xs');
    await page.keyboard.press('Escape');
    await gone(field);
    await page.keyboard.press('b');
    await page.keyboard.type('Keep the old one');
    await page.keyboard.press('Enter');
    await seen(log(page).getByText('Denied: Keep the old one.'));
    await seen(log(page).getByText(/Denied by you: Keep the old one/));
    await eventually(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('log');
  });

  it('takes an empty reason as a plain no', SLOW, async () => {
    const { page, prompt } = await open('edit');
    await prompt.getByRole('button', { name: /^No, because/ }).click();
    await page.keyboard.press('Enter');
    await seen(log(page).getByText('Denied: no reason.'));
  });

  it.each([
    ['a click', async (_: unknown, button: { click(): Promise<void> }) => button.click()],
    ['a key', async (page: { keyboard: { press(key: string): Promise<void> } }) => page.keyboard.press('y')],
  ])('leaves the focus in the conversation after %s on Allow', SLOW, async (_, act) => {
    const { page, prompt } = await open('edit');
    await prompt.focus();
    await act(page, prompt.getByRole('button', { name: /^Allow once/ }));
    await seen(log(page).getByText('Allowed.'));
    await eventually(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('log');
  });
});
