import type { AgentEvent } from '@agenthost/host';
import { expect, it } from 'vitest';
import { ScriptedAgent } from '../../support/agents/scriptedAgent.js';
import { expectAccessible } from '../axe.js';
import { eventually, expectNoOverflow, gone, log, makeSession, PATIENCE, seen, usePages, write } from '../pageWorld.js';

const pages = usePages();
const SLOW = { timeout: 6 * PATIENCE };

const planner = () =>
  new ScriptedAgent({
    provider: 'mock',
    displayName: 'Planner',
    script: ({ text }): Iterable<AgentEvent> => {
      if (text === 'plan')
        return [
          { type: 'plan', markdown: '- [x] Look\n- [ ] Leap over `it` (in progress)\n- [ ] Land\n' },
          { type: 'text', text: 'Planned.' },
        ];
      if (text === 'more') return [{ type: 'plan', markdown: '- [x] Look\n- [x] Leap over `it`\n- [ ] Land\n' }];
      if (text === 'usage')
        return [{ type: 'usage', usage: { cost: 0.8249, contextUsed: 82_000, contextSize: 200_000 } }];
      if (text === 'mode') return [{ type: 'mode', mode: { id: 'acceptEdits', name: 'Accept edits' } }];
      return [{ type: 'text', text: 'Nothing.' }];
    },
  });

it('the strip shows what the agent reports, and nothing else', SLOW, async () => {
  const host = await pages.host({ agents: [planner()] });
  const { hash } = await makeSession(host, ['nothing']);
  const page = await pages.visit(host, { hash });
  await seen(log(page).getByText('Nothing.'));
  const strip = page.locator('.strip');
  expect(await strip.count()).toBe(0);
  await write(page, 'plan');
  const head = strip.getByRole('button', { name: /^Plan/ });
  await seen(head.getByText('1 of 3 done'));
  if ((await head.getAttribute('aria-expanded')) === 'true') await head.click();
  await seen(head.getByText('Leap over it'));
  await head.press('Enter');
  await seen(strip.getByRole('button', { name: '1 done' }));
  await seen(strip.locator('li.current', { hasText: 'Leap over it' }));
  await write(page, 'more');
  await seen(head.getByText('2 of 3 done'));
  await seen(strip.locator('li.current', { hasText: 'Land' }));
  expect(await strip.getByText('$').count()).toBe(0);
  await write(page, 'usage');
  await seen(strip.getByText('$0.82'));
  await seen(strip.getByText('41 % of context'));
  await write(page, 'mode');
  await seen(strip.getByText('Accept edits'));
  // What the user has opened stays open.
  await page.locator('.sidebar .row').first().focus();
  await page.keyboard.press('n');
  await gone(strip);
  await page.goBack();
  await eventually(() => head.getAttribute('aria-expanded')).toBe('true');
});

it('is one line on a phone, which opens as a sheet', SLOW, async () => {
  const host = await pages.host({ agents: [planner()] });
  const { hash } = await makeSession(host, ['plan', 'usage', 'mode']);
  const page = await pages.visit(host, { hash, viewport: { width: 360, height: 700 } });
  const strip = page.locator('.strip');
  const line = strip.getByRole('button');
  await seen(line.getByText('1 of 3'));
  await seen(line.getByText('Accept edits'));
  await seen(line.getByText('41 %', { exact: true }));
  expect(await line.count()).toBe(1);
  expect((await strip.boundingBox())?.height).toBeLessThan(50);
  await expectNoOverflow(page, 'the line');
  await line.click();
  const sheet = page.getByRole('dialog', { name: 'Plan and usage' });
  await seen(sheet.locator('li.current', { hasText: 'Leap over it' }));
  await seen(sheet.getByText('$0.82'));
  await seen(sheet.getByText('41 % of context'));
  const box = await sheet.boundingBox();
  expect([box?.x, box?.width, Math.round((box?.y ?? 0) + (box?.height ?? 0))]).toEqual([0, 360, 700]);
  await expectAccessible(page);
  await sheet.getByRole('button', { name: '1 done' }).click();
  await seen(sheet.getByText('Look', { exact: true }));
  await page.keyboard.press('Escape');
  await gone(sheet);
  await eventually(() => line.evaluate((it) => it === document.activeElement)).toBe(true);
  // The same window made wider shows everything again.
  await page.setViewportSize({ width: 1200, height: 800 });
  await seen(strip.getByRole('button', { name: /^Plan/ }));
});
