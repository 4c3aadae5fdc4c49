// The page in a real browser. A stream of 200 deltas a second: frames, memory; and the first view of a host with 10,000
// sessions: time until it can be used. Beside each a bare page that does the least that can be done with the same
// text, in the same run and the same browser, because machines are noisy.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from '@agenthost/client';
import { type AgentEvent, Host } from '@agenthost/host';
import type { Browser, Page } from 'playwright-core';
import { type Script, ScriptedAgent } from '../../test/support/agents/scriptedAgent.ts';
import { launchBrowser } from '../../test/support/browser/browser.ts';
import { figureOf, hundredths } from '../support/figures.ts';
import { measure, note } from '../support/measure.ts';
import { type FrameFigures, followFrames, heapBytes } from '../support/pageFigures.ts';
import { writeIndex } from '../support/writeSessions.ts';

const PER_SECOND = 200;
const PAGE = join(import.meta.dirname, '../../apps/web/dist');

/** Prose with code, lists and emphasis, some twenty bytes a delta, as a model writes it. */
const PIECES = readFileSync(join(import.meta.dirname, '../../docs/protocol.md'), 'utf8').match(/[\s\S]{1,20}/g) ?? [];

await measure(async ({ quick }) => {
  const stateDir = mkdtempSync(join(tmpdir(), 'agenthost-bench-'));
  writeIndex(stateDir, quick ? 1_000 : 10_000);
  const host = await Host.start({
    stateDir,
    agents: [new ScriptedAgent({ provider: 'mock', displayName: 'Mock', script: streaming })],
  });
  const served = await host.listen({ pageFolder: PAGE });
  const bare = await startBare();
  const browser = await launchBrowser();
  try {
    const world = { ...served, bare, browser };
    const streams = await streamed(world, { seconds: quick ? 2 : 15, more: quick ? 2_000 : 100_000 });
    return { figures: [...streams, await firstView(world, quick ? 2 : 7)] };
  } finally {
    await browser.close();
    bare.close();
    await host.close();
    rmSync(stateDir, { recursive: true, force: true });
  }
});

/** `paced N`: so many at 200 a second; `many N`: as fast as they are taken, with a pause now and then. */
async function* streaming(...[{ text }]: Parameters<Script>): AsyncIterable<AgentEvent> {
  const [, how, count] = /^(paced|many) (\d+)$/.exec(text) ?? [];
  const started = performance.now();
  for (let n = 0; n < Number(count ?? 0); n += 1) {
    if (how === 'paced') {
      const early = (n / PER_SECOND) * 1_000 - (performance.now() - started);
      if (early > 1) await delay(early);
    } else if (n % 50 === 49) await delay(1);
    // Turns of a million characters are unrealistic: the text starts over in a new part.
    if (n % 5_000 === 4_999) yield { type: 'notice', severity: 'info', text: `${n} deltas` };
    yield { type: 'text', text: PIECES[n % PIECES.length] ?? '' };
  }
}

/** Frames a second and the longest task at 200 deltas a second, and what the page holds after very many more. */
async function streamed(world: World, { seconds, more }: { readonly seconds: number; readonly more: number }) {
  const { url, token, bare, browser } = world;
  const page = await openPage(world);
  const client = await connect({ url, token });
  const session = await client.createSession({ provider: 'mock' });
  await session.ready();
  await page.evaluate((uri) => {
    location.hash = new URLSearchParams({ session: `agenthost-local:${uri}` }).toString();
  }, session.uri);
  await page.locator('[data-composer]').waitFor();
  const turn = async (text: string) => {
    await session.send(text);
    const { promise, resolve } = Promise.withResolvers<void>();
    const following = session.state.subscribe(({ activeTurn }) => !activeTurn && resolve());
    await promise;
    following.dispose();
  };
  const barePage = await browser.newPage();
  await barePage.goto(bare.url);
  const found = { page: [] as FrameFigures[], bare: [] as FrameFigures[] };
  for (let part = 0; part < 3; part++) {
    found.page.push(await followFrames(page, () => turn(`paced ${(PER_SECOND * seconds) / 3}`)));
    found.bare.push(await followFrames(barePage, () => bare.stream(barePage, seconds / 3)));
  }
  const before = await heapBytes(page);
  await turn(`many ${more}`);
  const after = await heapBytes(page);
  session.close();
  client.close();
  await page.close();
  await barePage.close();
  const rate = ({ frames, seconds }: FrameFigures) => frames / seconds;
  const longest = Math.max(...found.page.map((one) => one.longest));
  note(
    `page: longest task ${Math.round(longest)} ms, heap ${mb(before)} MB, after ${more} more deltas ${mb(after)} MB`,
  );
  const about = { measure: 'page', unit: 'frames/s', better: 'higher' } as const;
  const heap = { measure: 'page', name: `heap after ${more} more deltas`, unit: 'MB', better: 'lower' } as const;
  return [
    figureOf(
      { ...about, name: `at ${PER_SECOND} deltas a second`, baseline: 'a bare <pre>' },
      found.page.map(rate),
      found.bare.map(rate),
    ),
    figureOf({ ...heap, baseline: 'before' }, [mb(after)], [mb(before)]),
  ];
}

/** Until the list can be used, from the click on the link, with an empty cache each time. */
async function firstView({ url, token, bare, browser }: World, loads: number) {
  const ours: number[] = [];
  const theirs: number[] = [];
  let bytes = 0;
  for (let n = 0; n < loads; n += 1) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    let received = 0;
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      received += encodedDataLength;
    });
    const started = performance.now();
    await page.goto(`${url.origin}/#token=${token}`, { waitUntil: 'commit' });
    await page.locator('[data-session]').first().waitFor();
    ours.push(performance.now() - started);
    await page.waitForLoadState('load');
    await page.evaluate(() => document.fonts.ready);
    bytes = Math.max(bytes, received);
    const again = performance.now();
    await page.goto(bare.url, { waitUntil: 'commit' });
    await page.locator('pre').waitFor({ state: 'attached' });
    theirs.push(performance.now() - again);
    await context.close();
  }
  note(`page: ${Math.round(bytes / 1_000)} kB transferred at the first view`);
  const about = { measure: 'page', name: 'until it can be used', unit: 'ms', better: 'lower' } as const;
  return figureOf({ ...about, baseline: 'a bare page' }, ours, theirs);
}

interface World {
  readonly url: URL;
  readonly token: string;
  readonly bare: Awaited<ReturnType<typeof startBare>>;
  readonly browser: Browser;
}

async function openPage({ url, token, browser }: World): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(`${url.origin}/#token=${token}`);
  await page.locator('[data-session]').first().waitFor();
  return page;
}

/** A page that appends the same text at the same pace to a <pre> and keeps its end in view. */
async function startBare() {
  const server = createServer((_request, response) => {
    const page = '<!doctype html><html lang="en"><title>bare</title><pre></pre></html>';
    response.setHeader('content-type', 'text/html').end(page);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => server.close(),
    stream: (page: Page, seconds: number) =>
      page.evaluate(
        async ({ pieces, count, perSecond }) => {
          const text = new Text();
          document.querySelector('pre')?.append(text);
          let isScrolling = false;
          const started = performance.now();
          for (let n = 0; n < count; n += 1) {
            const early = (n / perSecond) * 1_000 - (performance.now() - started);
            // Also when it is late: a page that never yields would be measured as one task.
            await new Promise((resolve) => setTimeout(resolve, Math.max(0, early)));
            text.appendData(pieces[n % pieces.length] ?? '');
            if (isScrolling) continue;
            isScrolling = true;
            requestAnimationFrame(() => {
              isScrolling = false;
              scrollTo(0, document.body.scrollHeight);
            });
          }
        },
        { pieces: PIECES, count: PER_SECOND * seconds, perSecond: PER_SECOND },
      ),
  };
}

function mb(bytes: number): number {
  return hundredths(bytes / 1_000_000);
}
