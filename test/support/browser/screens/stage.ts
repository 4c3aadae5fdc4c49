import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type HostClient, type SessionHandle } from '@agenthost/client';
import { Host, type HostOptions, type ListenOptions } from '@agenthost/host';
import type { Page } from 'playwright-core';

export const PAGE = join(import.meta.dirname, '../../../../apps/web/dist');

export interface StagedScreen {
  readonly name: string;
  /** Works any number of times, in any window. */
  readonly open: (page: Page) => Promise<unknown>;
}

/** Hosts in some state, and the screens that they make possible. Its screens share a browser's storage, and are opened in order. */
export interface Stage {
  readonly screens: readonly StagedScreen[];
  dispose(): Promise<void>;
}

/** A host with the built page, and somebody who uses it. */
export interface StageHost {
  readonly host: Host;
  readonly url: URL;
  readonly token: string;
  readonly root: string;
  readonly mira: HostClient;
  dispose(): Promise<void>;
}

export async function newFolder(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), 'agenthost-screens-')));
}

export async function startStageHost(
  root: string,
  options: Omit<HostOptions, 'stateDir'>,
  listen: ListenOptions = {},
): Promise<StageHost> {
  const host = await Host.start({ defaultDirectory: root, ...options, stateDir: join(root, 'state') });
  const { url, token } = await host.listen({ pageFolder: PAGE, ...listen });
  const mira = await connect({ url, token, clientInfo: { name: 'Mira Kovač', device: 'iPhone' } });
  return {
    host,
    url,
    token,
    root,
    mira,
    async dispose() {
      mira.close();
      await host.close();
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Opens the host with its own token, as a tab that knows nothing yet, and somebody whose name is known. */
export async function enter(
  page: Page,
  { url, token }: Pick<StageHost, 'url' | 'token'>,
  session?: string,
): Promise<void> {
  await page.goto('about:blank');
  await page.goto(`${url.origin}/favicon.svg`);
  await page.evaluate(
    (settings) => {
      localStorage['agenthost.settings'] ??= settings;
    },
    JSON.stringify({ userName: 'Tom', isNameAsked: true }),
  );
  const place = session === undefined ? '' : `&${sessionHash(session)}`;
  await page.goto(`${url.origin}/#token=${token}${place}`);
  await page.locator('.host-row .dot:not(.wait):visible, .thread:visible').first().waitFor();
  await page.evaluate(() => document.fonts.ready);
}

function sessionHash(uri: string): string {
  return String(new URLSearchParams({ session: `agenthost-local:${uri}` }));
}

/** A session with these messages, each sent when the turn before it is over or waits. */
export async function sessionWith(
  client: HostClient,
  provider: string,
  title: string,
  messages: readonly string[],
  workingDirectory?: string,
): Promise<SessionHandle> {
  const session = await client.createSession({ provider, ...(workingDirectory !== undefined && { workingDirectory }) });
  await session.ready();
  for (const [index, message] of messages.entries()) {
    await session.send(message);
    if (index < messages.length - 1) await turnEnded(session);
  }
  await session.rename(title);
  return session;
}

export async function turnEnded(session: SessionHandle): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => {
    if (session.confirmed.value.activeTurn === undefined) resolve();
  };
  const following = session.confirmed.subscribe(look);
  look();
  await promise;
  following.dispose();
}

/** The menu of the open session. */
export async function chooseFromMenu(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'Session actions' }).click();
  await page.getByRole('menuitem', { name: item }).click();
  await page.locator('dialog[open]').waitFor();
}

export async function openSettings(page: Page, section?: string): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).click();
  const dialog = page.getByRole('dialog', { name: 'Settings' });
  if (section !== undefined) await dialog.getByRole('button', { name: section }).click();
  await dialog.waitFor();
}
