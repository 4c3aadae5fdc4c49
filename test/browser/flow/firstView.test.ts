import { expect, it } from 'vitest';
import { log, makeSession, PATIENCE, seen, usePages } from '../pageWorld.js';

const pages = usePages();

it('the first view of a conversation takes less than 400 kB', { timeout: 4 * PATIENCE }, async () => {
  const host = await pages.host();
  const { hash } = await makeSession(host, ['no formula here']);
  const page = await pages.visit(host, { hash });
  await seen(log(page).getByText('You said: no formula here'));
  await page.evaluate(() => document.fonts.ready);
  const loaded = await page.evaluate(() =>
    [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].map((entry) => ({
      name: new URL(entry.name).pathname,
      bytes: (entry as PerformanceResourceTiming).transferSize,
    })),
  );
  expect(loaded.filter(({ name }) => /katex|worker/i.test(name))).toEqual([]);
  expect(loaded.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(400_000);
});
