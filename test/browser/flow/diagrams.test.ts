import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectAccessible } from '../axe.js';
import { eventually, log, makeSession, PATIENCE, seen, usePages, write } from '../pageWorld.js';

const pages = usePages();
const SLOW = { timeout: 8 * PATIENCE };

const fences = (...texts: string[]) => texts.map((text) => `A diagram:\n\n\`\`\`mermaid\n${text}\n\`\`\`\n`).join('\n');
/** A diagram is drawn when somebody scrolls to it; the page may still be going to its end by itself. */
async function reveal(figure: Locator, outcome: Locator): Promise<void> {
  await seen(figure);
  await eventually(async () => {
    await figure.evaluate((it) => it.scrollIntoView({ block: 'center' }));
    return outcome.count();
  }).toBeGreaterThan(0);
}

const figures = (page: Page) => log(page).locator('.answer figure', { hasText: 'mermaid' });

/** The same in a second tab, whose console nobody reads: what the frame tries is refused there. */
async function quiet(page: Page): Promise<Page> {
  const second = await page.context().newPage();
  await second.goto(page.url());
  return second;
}

it('draws diagrams of several kinds in both themes, and shows their text on demand', SLOW, async () => {
  const host = await pages.host();
  const texts = [
    'flowchart LR\n  A[Browser] -->|wss| B(Host)\n  B --> C{Agent?}',
    'sequenceDiagram\n  Mira->>Host: allow\n  Host-->>Tom: allowed',
    'stateDiagram-v2\n  [*] --> Idle\n  Idle --> Running',
    'gantt\n  title Work\n  section A\n  One :a1, 2026-01-01, 3d',
    'pie title Pets\n  "Dogs" : 3\n  "Cats" : 2',
    'classDiagram\n  Animal <|-- Duck',
  ];
  const { hash } = await makeSession(host, [fences(...texts)]);
  const page = await pages.visit(host, { hash });
  for (const index of texts.keys()) {
    const image = figures(page).nth(index).getByRole('img');
    await reveal(figures(page).nth(index), image);
    await eventually(() => image.evaluate((it: HTMLImageElement) => it.complete && it.naturalWidth > 40)).toBe(true);
  }
  // One frame draws all of them.
  expect(await page.locator('iframe').count()).toBe(1);
  await expectAccessible(page);
  const last = figures(page).last();
  const light = await last.getByRole('img').getAttribute('src');
  // The text in between would move everything below it.
  const wasText = await last.evaluateHandle((figure) => {
    const seen: boolean[] = [];
    new MutationObserver(() => seen.push(figure.querySelector('pre') !== null)).observe(figure, {
      subtree: true,
      childList: true,
      attributes: true,
    });
    return seen;
  });
  await page.emulateMedia({ colorScheme: 'dark' });
  await eventually(() => last.getByRole('img').getAttribute('src')).not.toBe(light);
  expect((await wasText.jsonValue()).includes(true)).toBe(false);
  await seen(last.getByRole('img'));
  await last.getByRole('button', { name: 'Show source' }).click();
  await seen(last.getByText('Animal <|-- Duck'));
  await last.getByRole('button', { name: 'Show diagram' }).click();
  await seen(last.getByRole('img'));
});

it('shows the text of what it can not draw, and says so', SLOW, async () => {
  const host = await pages.host();
  const long = `flowchart LR\n${Array.from({ length: 3_000 }, (_, n) => `  N${n} --> N${n + 1}`).join('\n')}`;
  const { hash } = await makeSession(host, [fences('flowchart LR\n  A --', long, 'pie\n  "A\u202e" : 3')]);
  const page = await pages.visit(host, { hash });
  const first = figures(page).first();
  await reveal(first, first.getByText('not drawn'));
  await seen(first.getByText('A --'));
  await seen(figures(page).nth(1).getByText('N2999'));
  await seen(figures(page).nth(2).getByText('[U+202E]'));
  expect(
    await log(page)
      .getByRole('img', { name: /^Diagram/ })
      .count(),
  ).toBe(0);
});

it('a hostile diagram reaches neither the page nor the network', SLOW, async () => {
  const asked: string[] = [];
  const trap = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end();
  });
  await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve));
  pages.cleanups.push(async () => trap.close());
  const { port } = trap.address() as AddressInfo;
  const to = (what: string) => `http://127.0.0.1:${port}/${what}`;
  const hit = "parent.postMessage('hit','*');top.hit=1";
  const texts = [
    `flowchart LR\n  A --> B\n  click A href "javascript:${hit}"\n  click B call hit()`,
    `flowchart LR\n  A --> B\n  click A href "${to('link')}" _top`,
    `flowchart LR\n  A["<img src=x onerror=${hit}>"] --> B["<script>${hit}</script>"]`,
    `flowchart LR\n  A["<img src='${to('img')}'/>"] --> B["<svg onload=${hit}>"]`,
    `%%{init: {"securityLevel": "loose", "htmlLabels": true, "flowchart": {"htmlLabels": true}}}%%\nflowchart LR\n  A["<iframe src='${to('frame')}'></iframe><b onmouseover=${hit}>x</b>"] --> B`,
    `%%{init: {"themeCSS": "* { background: url(${to('css')}) } @import '${to('import')}';", "fontFamily": "x;} *{background:url(${to('font')})}"}}%%\nflowchart LR\n  A --> B`,
    `---\nconfig:\n  securityLevel: loose\n  themeCSS: "@import url(${to('front')});"\n---\nflowchart LR\n  A --> B\n  style A fill:url(${to('fill')})`,
    `flowchart LR\n  A@{ img: "${to('shape.png')}", label: "x", w: 60, h: 60 } --> B`,
    `flowchart LR\n  classDef x background:url(${to('class')}),fill:red\n  A:::x --> B`,
    `sequenceDiagram\n  participant A as <img src="${to('actor')}">\n  link A: x @ javascript:${hit}\n  A->>A: y`,
    `architecture-beta\n  service s(logos:${to('icon')})[x]`,
    `gantt\n  dateFormat X\n  axisFormat %L\n  tickInterval 1millisecond\n  One :0, 9999999999`,
  ];
  const host = await pages.host();
  const { hash } = await makeSession(host, [fences(...texts)]);
  const page = await quiet(await pages.visit(host, { hash }));
  const requests: string[] = [];
  page.context().on('requestfinished', (request) => requests.push(request.url()));
  await page.evaluate(() => {
    const heard: unknown[] = [];
    Object.assign(window, { heard, hit: undefined });
    window.addEventListener('message', ({ data }) => heard.push(data?.type ?? data));
  });
  for (const index of texts.keys()) {
    const figure = figures(page).nth(index);
    // Drawn, or said not to be.
    await reveal(figure, figure.getByRole('img').or(figure.getByText('not drawn')));
    for (const image of await figure.getByRole('img').all()) await image.hover();
  }
  // The page goes on, whatever was drawn.
  await write(page, 'and now');
  await seen(log(page).getByText('You said: and now'));
  expect(asked).toEqual([]);
  expect(requests.filter((url) => url.includes(`:${port}`))).toEqual([]);
  expect(await page.evaluate(() => Reflect.get(window, 'hit'))).toBeUndefined();
  const heard = (await page.evaluate(() => Reflect.get(window, 'heard'))) as unknown[];
  expect([...new Set(heard)].toSorted()).toEqual(expect.not.arrayContaining(['hit']));
  // All there is of a diagram in the page is an image.
  expect(await log(page).locator('svg a, .diagram svg, .diagram iframe, foreignObject').count()).toBe(0);
});

it('the frame has an origin of its own, no network, and no page of others around it', SLOW, async () => {
  const host = await pages.host();
  const { hash } = await makeSession(host, [fences('flowchart LR\n  A --> B')]);
  const page = await quiet(await pages.visit(host, { hash }));
  await seen(figures(page).getByRole('img'));
  const frame = page.frames().find((one) => one.url().includes('/assets/diagram-'));
  if (!frame) throw new Error('no frame');
  const found = await frame.evaluate(async () => {
    const tried = async (work: () => unknown) => {
      try {
        await work();
        return 'allowed';
      } catch (error) {
        return (error as Error).name;
      }
    };
    return {
      origin: self.origin,
      fetch: await tried(() => fetch('/healthz')),
      storage: await tried(() => localStorage.length),
      cookies: await tried(() => document.cookie),
      page: await tried(() => parent.document.title),
      socket: await new Promise((resolve) => {
        const socket = new WebSocket(`${location.href.replace('http', 'ws').split('/assets')[0]}/ws`);
        socket.onopen = () => resolve('open');
        socket.onerror = () => resolve('error');
      }).catch((error: Error) => error.name),
      image: await new Promise((resolve) => {
        const image = new Image();
        image.onload = () => resolve('loaded');
        image.onerror = () => resolve('error');
        image.src = '/favicon.svg';
      }),
    };
  });
  expect(found).toEqual({
    origin: 'null',
    fetch: 'TypeError',
    storage: 'SecurityError',
    cookies: 'SecurityError',
    page: 'SecurityError',
    socket: expect.stringMatching(/rror/),
    image: 'error',
  });
});

it('a frame that lies or says nothing gets no further than an image that is not shown', SLOW, async () => {
  const host = await pages.host();
  const { hash } = await makeSession(host, [
    fences('flowchart LR\n  lie', 'flowchart LR\n  silence', 'flowchart LR\n  B'),
  ]);
  const page = await pages.visit(host, { hash });
  const lying = `<script>onmessage = ({ data }) => {
    if (data.text.includes('silence')) return;
    for (const svg of [7, null, 'x'.repeat(3e6)]) parent.postMessage({ type: 'drawn', id: data.id + 1, svg }, '*');
    parent.postMessage({ type: 'drawn', id: data.id, svg: '<img src=x onerror=top.hit=1><script>top.hit=1<\\/script>' }, '*');
  };
  parent.postMessage({ type: 'ready' }, '*');</script>`;
  await page
    .context()
    .route('**/assets/diagram-*', (route) => route.fulfill({ contentType: 'text/html', body: lying }));
  const second = await quiet(page);
  for (const index of [0, 1, 2]) {
    const figure = figures(second).nth(index);
    await reveal(figure, figure.getByText('not drawn'));
    await seen(figure.locator('pre.code'));
  }
  expect(await second.evaluate(() => Reflect.get(window, 'hit'))).toBeUndefined();
});
