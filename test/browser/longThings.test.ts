import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { sessionId, writeIndex, writeLongSession } from '../../bench/support/writeSessions.ts';
import { temporaryFolder } from '../support/testHost.js';
import { eventually, hashOf, log, makeSession, PATIENCE, seen, usePages, write } from './pageWorld.js';

const pages = usePages();
const SLOW = { timeout: 300_000 };

describe('long content', () => {
  it('10,000 sessions: the document stays small while the list is scrolled', SLOW, async () => {
    const stateDir = await temporaryFolder();
    writeIndex(stateDir, 10_000);
    const host = await pages.host({ stateDir });
    const page = await pages.visit(host);
    const list = page.getByRole('region', { name: 'Session list' });
    const rows = () => list.locator('.row').count();
    await eventually(rows).toBeGreaterThan(5);
    const scroll = (to: number) =>
      list.evaluate((region, share) => {
        region.scrollTop = region.scrollHeight * share;
        return region.scrollHeight;
      }, to);
    await list.hover();
    await page.mouse.wheel(0, 500);
    await eventually(() => list.evaluate((region) => region.scrollTop)).toBeGreaterThan(0);
    // 9,000 are not archived.
    await expect.poll(() => scroll(1), { timeout: 200_000, interval: 20 }).toBeGreaterThan(9_000 * 50);
    for (const share of [0, 0.3, 0.5, 0.9]) {
      await scroll(share);
      await eventually(rows).toBeGreaterThan(5);
      expect(await rows()).toBeLessThan(60);
    }
    await list.locator('.row').first().focus();
    await page.keyboard.press('End');
    await eventually(() => page.evaluate(() => document.activeElement?.className)).toContain('row');
    const search = page.getByRole('searchbox');
    await search.fill('session 4321');
    await seen(list.locator('.row', { hasText: 'Session 4321 ' }));
  });

  it(
    '10,000 turns: opens at the end, loads and unloads older ones without a jump, and returns to the newest',
    SLOW,
    async () => {
      const stateDir = await temporaryFolder();
      const id = sessionId(1);
      writeLongSession(stateDir, id, 30_000, 3);
      const host = await pages.host({ stateDir });
      const page = await pages.visit(host, { hash: hashOf(`mock:/${id}`) });
      const thread = log(page);
      const fromEnd = () => thread.evaluate((it) => it.scrollHeight - it.scrollTop - it.clientHeight);
      await seen(thread.locator('[data-turn=t9999]'));
      await eventually(fromEnd).toBeLessThan(3);
      expect(await thread.locator('.turn').count()).toBeLessThan(60);
      for (let time = 0; time < 3; time++) {
        const { before, after } = await loadEarlier(page);
        expect(Math.abs(after - before)).toBeLessThanOrEqual(4);
        expect(await thread.locator('.turn').count()).toBeLessThan(60);
      }
      const earlier = async () =>
        Number((await thread.locator('.earlier').textContent())?.replace(/\D/g, '') || Number.NaN);
      const known = await earlier();
      // The button loads too: 300 turns and more, without scrolling through them.
      while (!((await earlier()) < known - 300)) {
        await thread.locator('.earlier', { hasText: /earlier turns$/ }).click();
        await eventually(async () => thread.locator('.earlier').textContent()).toMatch(/^[\d,.]+ earlier/);
      }
      const least = await earlier();
      // Far below the first, and not at the end: what is looked at stays where it is while the turns above it go.
      const moved = await forgetEarlier(page, least);
      expect(Math.abs(moved)).toBeLessThanOrEqual(4);
      await page.getByRole('button', { name: 'Jump to newest' }).click();
      await seen(thread.locator('[data-turn=t9999]'));
      await eventually(fromEnd).toBeLessThan(3);
    },
  );

  it('a turn with more steps than its state: earlier ones load page by page, in order', SLOW, async () => {
    const host = await pages.host();
    const { hash } = await makeSession(host, ['many-calls 500']);
    const page = await pages.visit(host, { hash });
    const thread = log(page);
    await seen(thread.getByText('500 steps.'));
    const button = thread.getByRole('button', { name: /^Show earlier steps/ });
    const shown = async () =>
      (await thread.locator('.turn .line > .grow').allTextContents()).flatMap(
        (line) => line.match(/Did step (\d+)/)?.[1] ?? [],
      );
    await unfoldCalls(thread);
    const first = Number((await shown())[0]);
    expect(first).toBeGreaterThan(200);
    expect(await button.textContent()).toBe(`Show earlier steps (${first})`);
    await button.click();
    await eventually(async () => Number((await shown())[0])).toBeLessThan(first);
    while ((await button.count()) > 0) {
      const before = Number((await shown())[0]);
      await button.click();
      await eventually(async () => Number((await shown())[0])).toBeLessThan(before);
    }
    expect((await shown()).map(Number)).toEqual(Array.from({ length: 500 }, (_, n) => n));
  });

  it(
    'a long turn that waits for an answer: after a reload its earlier steps can be shown, and it continues',
    SLOW,
    async () => {
      const host = await pages.host();
      const { hash } = await makeSession(host, []);
      const page = await pages.visit(host, { hash });
      await write(page, 'calls-then-question 400');
      const ask = page.getByRole('region', { name: 'Needs your answer' });
      await seen(ask.getByText('Go on?').first());
      await page.reload();
      await seen(ask.getByText('Go on?').first());
      const lines = log(page).locator('.turn .line');
      const button = log(page).getByRole('button', { name: /^Show earlier steps/ });
      await seen(button);
      await unfoldCalls(log(page));
      while ((await button.count()) > 0) {
        const before = await lines.count();
        await button.click();
        await eventually(() => lines.count()).toBeGreaterThan(before);
      }
      expect(await lines.count()).toBeGreaterThanOrEqual(400);
      await ask.getByRole('button', { name: 'Allow', exact: false }).first().click();
      await eventually(() => ask.count()).toBe(0);
      await seen(log(page).locator('.turn:not([aria-busy])'));
    },
  );

  it('an input that is too long for the state: all of it is shown before it can be allowed', SLOW, async () => {
    const host = await pages.host();
    const { hash } = await makeSession(host, []);
    const page = await pages.visit(host, { hash });
    await write(page, 'confirm-long 300000');
    const prompt = page.locator('[data-prompt=long]').first();
    const field = prompt.getByLabel('What it would do');
    await eventually(() => field.inputValue().then((text) => text.length)).toBe(300_000);
    expect(await field.inputValue()).toMatch(/^line 0\nline 1\n/);
    await prompt.getByRole('button', { name: 'Allow once' }).click();
    await seen(log(page).getByText('Did it'));
  });

  it('a few short turns: all of them are there after each reload', SLOW, async () => {
    const host = await pages.host();
    const { hash } = await makeSession(host, ['one', 'two', 'three']);
    const page = await pages.visit(host, { hash });
    // Which of the list, the session's newest turn and its other turns comes first differs from time to time.
    for (let time = 0; time < 6; time++) {
      await eventually(() => log(page).locator('.turn:visible').count()).toBe(3);
      await page.reload();
    }
  });

  it('slow markdown: the page stays responsive while it is parsed, and falls back to plain text', SLOW, async () => {
    const host = await pages.host();
    const bold = await makeSession(host, ['**bold** and `code` '.repeat(3_000)]);
    const hard = await makeSession(host, ['*a_'.repeat(20_000)]);
    const page = await pages.visit(host);
    await page.evaluate(() => {
      let last = performance.now();
      setInterval(() => {
        const now = performance.now();
        document.documentElement.dataset['longestPause'] = String(
          Math.max(Number(document.documentElement.dataset['longestPause'] ?? 0), now - last),
        );
        last = now;
      }, 10);
    });
    const open = (hash: string) =>
      page.evaluate((session) => {
        location.hash = session;
      }, hash);
    await open(bold.hash);
    await seen(log(page).locator('.prose strong').first());
    await open(hard.hash);
    await seen(log(page).locator('.prose', { hasText: '*a_*a_*a_' }).first());
    // Parsed in the page's own thread it takes most of a minute.
    expect(await page.evaluate(() => Number(document.documentElement.dataset['longestPause']))).toBeLessThan(5_000);
  });

  it('large output: its ends, then all of it', SLOW, async () => {
    const host = await pages.host();
    const { hash } = await makeSession(host, ['seq 1 150000'], { provider: 'shell' });
    const page = await pages.visit(host, { hash });
    await page.getByRole('region', { name: 'Needs your answer' }).getByRole('button', { name: 'Allow once' }).click();
    const block = log(page).getByRole('figure', { name: 'Terminal: seq 1 150000' });
    await seen(block.getByText('exit 0'));
    const output = () => block.getByRole('region', { name: 'Output' }).evaluate((it) => it.textContent ?? '');
    expect((await output()).length).toBeLessThan(200_000);
    expect(await output()).toMatch(/^1\n2\n3\n/);
    expect((await output()).trimEnd()).toMatch(/149999\n150000$/);
    await seen(block.getByText(/the middle is left out/));
    await block.getByRole('button', { name: 'Show all' }).click();
    await eventually(async () => (await output()).trimEnd().split('\n').length).toBe(150_000);
    await seen(log(page).getByText('exit 0'));
  });
});

/** Opens the group of calls, and shows all of them; it stays open while others are loaded. */
async function unfoldCalls(thread: Locator): Promise<void> {
  await thread.locator('.group-steps .think').first().click();
  await thread.getByRole('button', { name: /^\d+ more$/ }).click();
}

/** Scrolls near the start, and says where a turn stood in the window before and after older ones came. */
function loadEarlier(page: Page): Promise<{ before: number; after: number }> {
  return log(page).evaluate(async (thread, patience) => {
    const frames = (count: number) =>
      new Promise<void>((done) => {
        const next = (left: number) => (left === 0 ? done() : requestAnimationFrame(() => next(left - 1)));
        next(count);
      });
    const label = () => thread.querySelector('.earlier')?.textContent ?? '';
    const earlier = () => Number(/^[\d,.]+ earlier/.exec(label())?.[0].replace(/\D/g, ''));
    const end = performance.now() + patience;
    const top = () => thread.getBoundingClientRect().top;
    const turns = () => [...thread.querySelectorAll('.turn')];
    const place = (id: string | undefined) =>
      (turns()
        .find((turn) => turn.getAttribute('data-turn') === id)
        ?.getBoundingClientRect().top ?? Number.NaN) - top();
    while (Number.isNaN(earlier())) await frames(1);
    const had = earlier();
    let seen: { id: string; before: number } | undefined;
    while (!(earlier() < had)) {
      if (performance.now() > end) throw new Error(`no older turns came: ${label()}`);
      // Scrolls like a user: content that comes into view is measured on the way.
      thread.scrollTop -= Math.min(150, Math.max(0, thread.scrollTop - 400));
      const id = turns()
        .find((turn) => turn.getBoundingClientRect().top > top())
        ?.getAttribute('data-turn');
      if (id) seen = { id, before: place(id) };
      await frames(2);
    }
    await frames(6);
    return { before: seen?.before ?? Number.NaN, after: place(seen?.id) };
  }, PATIENCE);
}

/** Goes far from the first turns, and says how much what is seen moved in the frame in which they were forgotten. */
function forgetEarlier(page: Page, least: number): Promise<number> {
  return log(page).evaluate(
    async (thread, { had, patience }) => {
      const frame = () => new Promise((done) => requestAnimationFrame(done));
      const earlier = () => Number((thread.querySelector('.earlier')?.textContent ?? '').replace(/\D/g, ''));
      const top = () => thread.getBoundingClientRect().top;
      const first = () =>
        [...thread.querySelectorAll('.turn')].find((turn) => turn.getBoundingClientRect().bottom > top());
      const end = performance.now() + patience;
      thread.scrollTo(0, thread.scrollHeight - 3 * thread.clientHeight);
      let seen = first();
      let before = 0;
      while (!(earlier() > had + 100)) {
        if (performance.now() > end) throw new Error(`nothing was forgotten: ${earlier()} of ${had}`);
        seen = first();
        before = (seen?.getBoundingClientRect().top ?? Number.NaN) - top();
        await frame();
      }
      await frame();
      await frame();
      return (seen?.getBoundingClientRect().top ?? Number.NaN) - top() - before;
    },
    { had: least, patience: PATIENCE },
  );
}
