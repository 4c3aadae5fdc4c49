// The page in a real browser. A stream of 200 deltas a second: long tasks, frames, memory; and the first view of a host with
// 10,000 sessions: bytes, time until it can be used. Beside each a bare page that does the least that can be done with the same
// text, in the same run and the same browser, because machines are noisy.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { connect } from '@agenthost/client';
import { type AgentEvent, Host } from '@agenthost/host';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../test/support/browser.ts';
import { type Script, ScriptedAgent } from '../test/support/scriptedAgent.ts';
import { hundredths, median } from './support/figures.ts';
import { type FrameFigures, followFrames, heapBytes } from './support/pageFigures.ts';
import { writeIndex } from './support/writeSessions.ts';

const { values } = parseArgs({ options: { quick: { type: 'boolean' }, json: { type: 'boolean' } } });
const PER_SECOND = 200;
const SECONDS = values.quick ? 5 : 20;
const MANY = values.quick ? 20_000 : 100_000;
const LOADS = values.quick ? 3 : 9;
const PAGE = join(import.meta.dirname, '../apps/web/dist');

/** Prose with code, lists and emphasis, some twenty bytes a delta, as a model writes it. */
const PIECES = readFileSync(join(import.meta.dirname, '../docs/protocol.md'), 'utf8').match(/[\s\S]{1,20}/g) ?? [];

const stateDir = mkdtempSync(join(tmpdir(), 'agenthost-bench-web-'));
writeIndex(stateDir, 10_000);
const host = await Host.start({
  stateDir,
  agents: [new ScriptedAgent({ provider: 'mock', displayName: 'Mock', script: streaming })],
});
const { url, token } = await host.listen({ pageFolder: PAGE });
const bare = await startBare();
const browser = await launchBrowser();
try {
  const stream = await streamRows(browser);
  const first = await firstView(browser);
  if (values.json) console.log(JSON.stringify({ stream, first }));
  else {
    console.table(stream);
    console.table(first);
  }
} finally {
  await browser.close();
  bare.close();
  await host.close();
  rmSync(stateDir, { recursive: true, force: true });
}

/** `paced N`: so many at 200 a second; `many N`: as fast as they are taken, with a pause now and then. */
async function* streaming(...[{ text }]: Parameters<Script>): AsyncIterable<AgentEvent> {
  const [, how, count] = /^(paced|many) (\d+)$/.exec(text) ?? [];
  const started = performance.now();
  for (let n = 0; n < Number(count ?? 0); n += 1) {
    if (how === 'paced') {
      const early = (n / PER_SECOND) * 1_000 - (performance.now() - started);
      if (early > 1) await delay(early);
    } else if (n % 50 === 49) await delay(1);
    // Turns of a million characters are nobody's answer: the text begins anew in a part of its own.
    if (n % 5_000 === 4_999) yield { type: 'notice', severity: 'info', text: `${n} deltas` };
    yield { type: 'text', text: PIECES[n % PIECES.length] ?? '' };
  }
}

async function streamRows(inBrowser: Browser) {
  const rows: Record<string, string | number>[] = [];
  const page = await openPage(inBrowser);
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
  const paced = await followFrames(page, () => turn(`paced ${PER_SECOND * SECONDS}`));
  const barePage = await inBrowser.newPage();
  await barePage.goto(bare.url);
  const pacedBare = await followFrames(barePage, () => bare.stream(barePage, SECONDS));
  rows.push(row('the page', paced), row('a bare <pre>', pacedBare));
  const before = await heapBytes(page);
  const rest = MANY - PER_SECOND * SECONDS;
  const many = await followFrames(page, () => turn(`many ${rest}`));
  const after = await heapBytes(page);
  rows.push({
    ...row(`the page, ${rest} more deltas as fast as they come`, many),
    'MB before': mb(before),
    'MB after': mb(after),
  });
  session.close();
  client.close();
  await page.close();
  await barePage.close();
  return rows;
}

function row(what: string, { seconds, frames, longTasks, longest, dropped }: FrameFigures) {
  return {
    what,
    seconds: hundredths(seconds),
    'frames/s': Math.round(frames / seconds),
    'long tasks > 50 ms': longTasks,
    'longest ms': Math.round(longest),
    'frames dropped %': hundredths(dropped * 100),
  };
}

/** Until the list can be used, from the click on the link, with an empty cache each time. */
async function firstView(inBrowser: Browser) {
  const ours: number[] = [];
  const theirs: number[] = [];
  let bytes = 0;
  for (let n = 0; n < LOADS; n += 1) {
    const context = await inBrowser.newContext();
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
  return [
    {
      'kB transferred': Math.round(bytes / 1_000),
      'ms until usable': Math.round(median(ours)),
      'slowest ms': Math.round(Math.max(...ours)),
      'bare page ms': Math.round(median(theirs)),
      ratio: hundredths(median(ours) / median(theirs)),
    },
  ];
}

async function openPage(inBrowser: Browser): Promise<Page> {
  const page = await inBrowser.newPage();
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
  return Math.round(bytes / 100_000) / 10;
}
