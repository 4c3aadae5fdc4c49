import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { HostClient, SessionHandle } from '@agenthost/client';
import type { AgentEvent } from '@agenthost/host';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Script, ScriptedAgent } from '../support/agents/scriptedAgent.js';
import { launchBrowser } from '../support/browser/browser.js';
import { startTestHost, type TestHost, temporaryFolder } from '../support/testHost.js';
import { until } from '../support/until.js';
import { CORPUS } from './hostileCorpus.js';

const PAGE = join(import.meta.dirname, '../../apps/web/dist');
const CHUNK = 16;
const chunks = Array.from({ length: Math.ceil(CORPUS.length / CHUNK) }, (_, n) =>
  CORPUS.slice(n * CHUNK, (n + 1) * CHUNK),
);
/** What the wire has no room for in a line is cut; the whole is in the answer. */
const short = (text: string) => text.slice(0, 500).toWellFormed();

let host: TestHost;
let browser: Browser;
let client: HostClient;
const conversations: string[] = [];

beforeAll(async () => {
  const agents = chunks.map(
    (chunk, n) =>
      new ScriptedAgent({
        provider: `hostile${n}`,
        displayName: short(chunk[0] ?? ''),
        description: short(chunk[1] ?? ''),
        models: chunk.slice(2, 6).map((text, index) => ({ id: `m${index}`, name: short(text) || 'empty' })),
        ...(n % 2 === 1 && {
          availability: { state: 'unavailable', reason: short(chunk[7] ?? ''), howToFix: short(chunk[8] ?? '') },
        }),
        script: () => [],
      }),
  );
  browser = await launchBrowser();
  const stateDir = await temporaryFolder();
  host = await startTestHost(
    { stateDir, agents: [new ScriptedAgent({ provider: 'hostile', displayName: 'Hostile', script }), ...agents] },
    { pageFolder: PAGE },
  );
  const folder = join(stateDir, '"><img src=x onerror=hit()>\u202e');
  await mkdir(folder);
  client = await host.connect({ clientInfo: { name: '<img src=x onerror=hit()>', device: '\u202e\x1b]0;x\x07' } });
  for (const [n, chunk] of chunks.entries()) {
    const session = await client.createSession({ provider: 'hostile', workingDirectory: pathToFileURL(folder).href });
    await session.ready();
    for (const text of chunk) await said(session, text.toWellFormed());
    await session.send(`ask ${n}`);
    await until(
      session.state,
      (state) => Object.keys(state.activeTurn?.pendingPermissions ?? {}).length > 0,
      'prompts',
    );
    await session.rename(`conversation ${n}`);
    conversations.push(session.uri);
    session.close();
  }
  for (const text of CORPUS) {
    const session = await client.createSession({ provider: 'hostile' });
    await session.ready();
    await session.rename(short(text) || 'empty');
    session.close();
  }
}, 240_000);
afterAll(async () => {
  await browser?.close();
  await host?.dispose();
});

describe('point 6: hostile texts', () => {
  it('are more than a hundred distinct ones', () => {
    expect(CORPUS.length).toBeGreaterThan(100);
    expect(new Set(CORPUS).size).toBe(CORPUS.length);
  });

  it('run nothing, fetch nothing, hide nothing and stay inside, in conversations', async () => {
    await watched(async (page) => {
      for (const uri of conversations) {
        await page.evaluate((resource) => {
          location.hash = new URLSearchParams({ session: `agenthost-local:${resource}` }).toString();
        }, uri);
        await page.locator('.ask').first().waitFor();
        await lookThrough(page, '.thread');
      }
    });
  }, 240_000);

  it('do the same in the list, the palette and the tray', async () => {
    await watched(async (page) => {
      await page.locator('[data-session]').first().waitFor();
      await lookThrough(page, '.list');
      await page.locator('body').press('Control+k');
      for (const query of ['a', '<', '[']) {
        await page.locator('.pal-in input').fill(query);
        await page.locator('.pal-i').first().waitFor();
        expect(await problems(page)).toEqual([]);
      }
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: /^Needs input, / }).click();
      await page.locator('.tray .need').first().waitFor();
      await lookThrough(page, '.tray-b');
    });
  }, 120_000);

  it('do the same as names of agents and models', async () => {
    await watched(async (page) => {
      await page.getByText('Ready').first().waitFor();
      expect(await problems(page)).toEqual([]);
      await page.evaluate(() => {
        location.hash = 'new';
      });
      await page.locator('.agent').first().waitFor();
      for (const agent of await page.locator('.agent').all()) {
        await agent.click({ force: true });
        expect(await problems(page)).toEqual([]);
      }
    });
  }, 60_000);
});

/** Says the text as everything that an agent can say; asks it as every kind of question when it is told to. */
function* ask(chunk: readonly string[]): Iterable<AgentEvent> {
  for (const [n, text] of chunk.entries()) {
    const line = short(text) || 'empty';
    yield {
      type: 'permissionRequest',
      request: {
        requestId: `q${n}`,
        kind: n % 2 === 0 ? 'question' : 'permission',
        title: line,
        message: text.slice(0, 4_000).toWellFormed(),
        options: [
          { id: 'a', label: line, description: line },
          { id: 'b', label: 'No', kind: 'deny' },
        ],
        allowText: true,
      },
    };
    yield {
      type: 'toolStart',
      toolCall: {
        toolCallId: `c${n}`,
        toolName: line,
        displayName: line,
        invocationMessage: line,
        toolInput: line,
        ...(n % 2 === 0 && { toolKind: 'terminal' }),
        status: 'pendingConfirmation',
        confirmation: { title: line, editable: true, options: [{ id: 'a', label: line, kind: 'approve' }] },
      },
    };
  }
}

async function* script(...[message, turn]: Parameters<Script>): AsyncIterable<AgentEvent> {
  const asked = /^ask (\d+)$/.exec(message.text);
  if (asked) {
    yield* ask(chunks[Number(asked[1])] ?? []);
    await turn.forever();
  }
  const { text } = message;
  const line = short(text) || 'empty';
  const start = { toolName: line, displayName: line, invocationMessage: line, toolInput: line };
  const running = { status: 'running', confirmed: { how: 'notNeeded' } } as const;
  yield { type: 'title', title: line };
  yield { type: 'activity', activity: line };
  yield { type: 'reasoning', text };
  yield { type: 'toolStart', toolCall: { ...start, ...running, toolCallId: 'line' } };
  yield { type: 'toolUpdate', toolCallId: 'line', output: text };
  yield {
    type: 'toolComplete',
    toolCallId: 'line',
    result: { success: false, pastTenseMessage: line, error: { message: line } },
  };
  yield { type: 'toolStart', toolCall: { ...start, ...running, toolCallId: 'term', toolKind: 'terminal' } };
  yield { type: 'toolUpdate', toolCallId: 'term', output: `${text}\n` };
  yield { type: 'toolComplete', toolCallId: 'term', result: { success: true, pastTenseMessage: line, exitCode: 0 } };
  const diff = `@@ -1,1 +1,2 @@ ${line.replaceAll('\n', ' ')}\n-${text.replaceAll('\n', '\n-')}\n+${text.replaceAll('\n', '\n+')}\n`;
  const uri = `file:///${encodeURIComponent(line)}`;
  const edit = { type: 'fileEdit' as const, uri, insertions: 1, deletions: 1, diff };
  yield { type: 'toolStart', toolCall: { ...start, ...running, toolCallId: 'edit' } };
  yield {
    type: 'toolComplete',
    toolCallId: 'edit',
    result: { success: true, pastTenseMessage: line, content: [edit] },
  };
  yield { type: 'changes', changes: [{ uri, insertions: 1, deletions: 1 }] };
  yield { type: 'notice', severity: 'error', text: line };
  yield { type: 'text', text };
  yield { type: 'error', error: { errorType: line, message: line } };
}

async function said(session: SessionHandle, text: string): Promise<void> {
  const before = session.state.value.turns.length;
  await session.send(text);
  await until(session.state, ({ turns, activeTurn }) => turns.length > before && !activeTurn, 'the turn', 30_000);
}

/** A page with the host's link; afterwards nothing must have been run, asked, opened, refused or fetched from elsewhere. */
async function watched(work: (page: Page) => Promise<void>): Promise<void> {
  const context: BrowserContext = await browser.newContext({ viewport: { width: 1000, height: 900 } });
  const seen: string[] = [];
  context.on('page', (opened) => opened.on('dialog', (dialog) => seen.push(`dialog: ${dialog.message()}`)));
  await context.route('**', (route) => {
    const { origin, pathname } = new URL(route.request().url());
    const isOwn =
      origin === host.url.origin &&
      /^\/(?:assets\/[\w.-]+|favicon\.svg|sw\.js|manifest\.webmanifest|icons\/[\w-]+\.(?:png|svg))?$/.test(pathname);
    if (!isOwn) seen.push(`request: ${route.request().url()}`);
    return isOwn ? route.continue() : route.abort();
  });
  await context.exposeFunction('tellTest', (what: string) => seen.push(what));
  await context.addInitScript(() => {
    const { tellTest } = globalThis as unknown as { tellTest: (what: string) => void };
    Object.assign(globalThis, { hit: () => tellTest('a script ran') });
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
      tellTest(`policy: ${violatedDirective} ${blockedURI} ${sample}`),
    );
  });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    page.on('pageerror', (error) => seen.push(`error: ${error.message}`));
    page.on('websocket', (socket) => {
      if (new URL(socket.url()).host !== host.url.host) seen.push(`socket: ${socket.url()}`);
    });
    await page.goto(`${host.url.origin}/#token=${host.token}`);
    await page.locator('[data-session]').first().waitFor();
    await work(page);
    expect(await page.title()).toMatch(/^(?:\(\d+\) )?Agent Sessions$/);
    expect(context.pages()).toHaveLength(1);
    expect(page.url().startsWith(host.url.origin)).toBe(true);
    expect(seen).toEqual([]);
  } finally {
    await context.close();
  }
}

/** From the end to the start, a window at a time, with everything unfolded that can be. */
async function lookThrough(page: Page, scroller: string): Promise<void> {
  const element = page.locator(scroller).first();
  await element.evaluate((area) => area.scrollTo(0, area.scrollHeight));
  for (let step = 0; step < 400; step += 1) {
    await page.evaluate(async (area) => {
      const folded = document.querySelectorAll<HTMLElement>(`${area} .think[aria-expanded=false]`);
      for (const button of folded) button.click();
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    }, scroller);
    expect(await problems(page)).toEqual([]);
    const isAtStart = await element.evaluate((area) => {
      const before = area.scrollTop;
      area.scrollBy(0, -area.clientHeight);
      return before === 0;
    });
    if (isAtStart) return;
  }
  throw new Error(`the start of ${scroller} was not reached`);
}

/** What must not be in the document, now. */
async function problems(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const found: string[] = [];
    const say = (what: string, element: Element) => found.push(`${what}: ${element.outerHTML.slice(0, 200)}`);
    const hidden =
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
      /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e007f}]/u;
    const foreign =
      'iframe, object, embed, base, style, meta[http-equiv], video, audio, source, math, template, #root script, #root link, svg script, foreignObject, use, animate, form:not(.cmd, .composer, .ask-name, .ask-dialog form)';
    for (const element of document.querySelectorAll(foreign)) say('foreign element', element);
    for (const element of document.querySelectorAll('#root *')) {
      for (const { name, value } of element.attributes) {
        if (name.startsWith('on')) say('handler', element);
        if (hidden.test(value)) say(`hidden character in ${name}`, element);
        if (name === 'style' && /position|url\(|z-index/.test(value) && !element.closest('.list, .thread > .col'))
          say('style', element);
      }
    }
    for (const style of document.querySelectorAll('.prose [style], .term [style], .diff [style]'))
      if (!/^(?:(?:color|background-color|text-align): [^;]*;? ?)+$/.test(style.getAttribute('style') ?? ''))
        say('style', style);
    for (const link of document.querySelectorAll<HTMLAnchorElement>('#root a[href]')) {
      if (!/^(?:https?|mailto):/.test(link.href)) say('link', link);
      if (link.target !== '_blank' || !link.rel.includes('noopener')) say('link without noopener', link);
    }
    for (const image of document.querySelectorAll('#root img'))
      if (!/^(?:data:image\/(?:png|jpeg|gif|webp);|blob:)/.test(image.getAttribute('src') ?? '')) say('image', image);
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode())
      if (node.parentElement && hidden.test(node.nodeValue ?? '')) say('hidden character', node.parentElement);
    if (document.documentElement.scrollWidth > innerWidth) found.push('the page is wider than its window');
    const edge = document.querySelector('.thread')?.getBoundingClientRect();
    for (const element of edge ? document.querySelectorAll('.thread .turn > *, .answer > *, .prose > *') : []) {
      const { left, right } = element.getBoundingClientRect();
      if (left < (edge?.left ?? 0) - 1 || right > (edge?.right ?? 0) + 1) say('outside of the conversation', element);
    }
    return found.slice(0, 20);
  });
}
