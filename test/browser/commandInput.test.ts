import type { SessionHandle } from '@agenthost/client';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { DeviceTokens } from '../../packages/host/src/server/access/deviceTokens.js';
import { until } from '../support/until.js';
import { expectAccessible } from './axe.js';
import { eventually, expectNoOverflow, gone, hashOf, log, PATIENCE, seen, usePages } from './pageWorld.js';

const pages = usePages();
const SLOW = { timeout: 6 * PATIENCE };
type PageHost = Awaited<ReturnType<typeof pages.host>>;

/** A command that runs, in a session of the shell. */
async function run(host: PageHost, command: string): Promise<SessionHandle> {
  const client = await host.connect({ clientInfo: { name: 'Mira' } });
  const session = await client.createSession({ provider: 'shell' });
  await session.ready();
  await session.send(command);
  const [question] = await until(session.pendingConfirmations, (prompts) => prompts.length === 1, 'the question');
  await question?.approve();
  await until(session.confirmed, () => outputOf(session).includes('ready'), 'the command');
  return session;
}

function outputOf(session: SessionHandle): string {
  const { activeTurn, turns } = session.confirmed.value;
  const call = Object.values(activeTurn?.toolCalls ?? {})[0] ?? turns.at(-1)?.toolCalls[0];
  return (call && 'output' in call && call.output?.text) || '';
}

const field = (page: Page) => page.getByRole('textbox', { name: 'Line for the running command' });

describe('the line of a running command', () => {
  it('sends with Enter, ends the input with Ctrl+D, interrupts with Ctrl+C, and shows who typed', SLOW, async () => {
    const host = await pages.host();
    const session = await run(host, 'echo ready; read a; echo "a=$a"; cat; sh -c "echo asleep; exec sleep 1000"');
    const page = await pages.visit(host, { hash: hashOf(session.uri) });
    await seen(field(page));
    await field(page).fill('Ada');
    await page.keyboard.press('Enter');
    await seen(log(page).locator('.term', { hasText: 'a=Ada' }));
    await seen(log(page).getByText('Line typed by you'));
    expect(await field(page).inputValue()).toBe('');
    const [id = ''] = Object.keys(session.confirmed.value.activeTurn?.toolCalls ?? {});
    await session.sendInput(id, { kind: 'line', text: 'from elsewhere' });
    await seen(log(page).getByText('Line typed by Mira · 2 inputs'));
    await page.keyboard.press('Control+d');
    await seen(log(page).locator('.term', { hasText: 'asleep' }));
    // With a selection Ctrl+C copies.
    await field(page).fill('text');
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Control+c');
    await field(page).fill('');
    expect(session.confirmed.value.activeTurn).toBeDefined();
    await page.keyboard.press('Control+c');
    await seen(log(page).locator('.exit.bad', { hasText: 'exit 130' }));
    await gone(field(page));
    await seen(log(page).getByText('Interrupted by you'));
    await eventually(() => session.confirmed.value.turns.at(-1)?.state).toBe('complete');
  });

  it('hides what is typed at a password, says a refusal, and has buttons on a phone', SLOW, async () => {
    const host = await pages.host();
    const session = await run(
      host,
      'stty -echo; echo ready; printf "Password: "; read x; stty echo; echo; echo "$(printf %s "$x" | wc -c) characters"; exec sleep 1000',
    );
    const look = { viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' } as const;
    const page = await pages.visit(host, { hash: hashOf(session.uri), ...look });
    await seen(page.locator('input[type=password]'));
    await page.locator('input[type=password]').fill('hunter2');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await seen(log(page).locator('.term', { hasText: '7 characters' }));
    expect(await page.content()).not.toContain('hunter2');
    await field(page).fill('ä'.repeat(3_000));
    await page.keyboard.press('Enter');
    await seen(page.getByRole('alert').filter({ hasText: 'too long' }));
    expect((await field(page).inputValue()).length).toBe(3_000);
    await expectNoOverflow(page, 'the line of a command');
    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Ctrl+C: interrupt the command' }).click();
    await gone(field(page));
  });

  it('is not there for those who may not type', SLOW, async () => {
    const host = await pages.host();
    const token = await new DeviceTokens(host.stateDir).add('the approver', 'approver');
    const session = await run(host, 'echo ready; read a');
    const page = await pages.visit(host, { hash: hashOf(session.uri), token });
    await seen(log(page).locator('.exit.run'));
    expect(await field(page).count()).toBe(0);
  });
});
