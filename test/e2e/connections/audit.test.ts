import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostClient } from '@agenthost/client';
import type { AuditEntry } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AuditFolder } from '../../../packages/host/src/audit/auditFolder.js';
import { RawClient } from '../../support/rawClient.js';
import { rawSession, startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';

describe('the audit trail', () => {
  let host: TestHost;
  let owner: HostClient;
  beforeEach(async () => {
    host = await startTestHost();
    owner = await host.connect({ clientInfo: { name: 'Ada' } });
  });
  afterEach(() => host.dispose());

  const trail = async (): Promise<readonly AuditEntry[]> => (await owner.devices.fetchAudit({ limit: 200 })).items;
  const found = async (event: string) => (await trail()).filter((entry) => entry.event === event);
  const device = async (name: string, role: 'viewer' | 'approver') => {
    const token = await host.host.deviceTokens.add(name, role);
    await expect
      .poll(() =>
        RawClient.open({ url: host.url, token })
          .then((raw) => raw.end())
          .then(() => 'in', String),
      )
      .toBe('in');
    return token;
  };

  it('tells who connected, from where, and which connections were refused', async () => {
    await expect(RawClient.open({ url: host.url, token: 'x'.repeat(43) })).rejects.toThrow('401');
    expect(await found('connected')).toMatchObject([{ by: { role: 'owner', token: 'owner' }, from: '127.0.0.1' }]);
    expect(await found('refused')).toMatchObject([{ outcome: 'refused', from: '127.0.0.1' }]);
    expect(await found('hostStarted')).toHaveLength(1);
  });

  it('gathers what anyone can repeat', async () => {
    for (let n = 0; n < 30; n++) (await host.connect()).close();
    expect(await found('connected')).toHaveLength(1);
  });

  it('tells who answered an agent, with what was asked', async () => {
    const watcher = await host.raw('watcher');
    const session = await rawSession([watcher]);
    const token = await device('the phone', 'approver');
    const phone = await RawClient.open({ url: host.url, token });
    await phone.request('initialize', { protocolVersion: 2, clientId: 'phone', initialSubscriptions: [session] });
    await watcher.act({ type: 'session/turnStarted', session, turnId: 't', userMessage: { text: 'confirm-tool' } });
    const { toolCall } = await watcher.nextAction(session, 'session/toolStart');
    const { toolCallId } = toolCall;
    await phone.act({ type: 'session/toolCallConfirmed', session, turnId: 't', toolCallId, approved: true });
    await watcher.nextAction(session, 'session/turnComplete');
    expect(await found('approved')).toMatchObject([{ session, by: { name: 'the phone', clientId: 'phone' } }]);
    expect((await found('approved'))[0]?.text).toContain('allowed');
    await phone.end();
  });

  it('tells who exported a session, once in a while', async () => {
    const session = await rawSession([await host.raw('watcher')]);
    for (let n = 0; n < 1_000; n++) await owner.devices.noteExport({ session, format: 'json' });
    await owner.devices.noteExport({ session: 'mock:/none', format: 'md' });
    expect(await found('exported')).toMatchObject([
      { session, by: { role: 'owner' }, text: 'exported the session as json' },
    ]);
  });

  it('tells what was done to a session and to tokens, and what was not allowed', async () => {
    const session = await rawSession([await host.raw('watcher')]);
    const token = await device('the tablet', 'viewer');
    const tablet = await RawClient.open({ url: host.url, token });
    await tablet.request('initialize', { protocolVersion: 2, clientId: 'tablet' });
    await expect(tablet.request('disposeSession', { session })).rejects.toThrow();
    await expect(tablet.request('fetchAudit', { limit: 1 })).rejects.toThrow();
    await owner.disposeSession(session);
    await expect(owner.disposeSession(session)).rejects.toThrow();
    await host.host.deviceTokens.remove('the tablet');
    await expect.poll(async () => (await found('tokenRemoved')).length).toBe(1);
    const events = (await trail())
      .filter(({ session: one }) => one === session)
      .map(({ event, outcome }) => [event, outcome]);
    expect(events).toEqual([
      ['disposeSession', 'failed'],
      ['disposeSession', 'done'],
      ['createSession', 'done'],
    ]);
    const refused = (await trail()).filter(({ outcome }) => outcome === 'refused');
    expect(refused.map(({ event, by }) => [event, by?.name])).toEqual([
      ['fetchAudit', 'the tablet'],
      ['disposeSession', 'the tablet'],
    ]);
    const of = await owner.devices.fetchAudit({ limit: 200, session });
    expect(of.items.every((entry) => entry.session === session)).toBe(true);
    await tablet.end().catch(() => {});
  });

  it('is private, and is read in pages', async () => {
    for (let n = 0; n < 5; n++) await rawSession([await host.raw(`client-${n}`)]);
    const folder = join(host.stateDir, 'audit');
    const [name = ''] = await readdir(folder);
    expect((await stat(join(folder, name))).mode & 0o077).toBe(0);
    const all = await trail();
    const paged: AuditEntry[] = [];
    let before: string | undefined;
    do {
      const page = await owner.devices.fetchAudit({ limit: 2, ...(before !== undefined && { before }) });
      paged.push(...page.items);
      before = page.nextCursor;
    } while (before !== undefined);
    expect(paged).toEqual(all);
    expect(await readFile(join(folder, name), 'utf8')).not.toContain(host.token);
  });

  it('fails no command when its folder can not be written, and says what is missing afterwards', async () => {
    const folder = join(host.stateDir, 'audit');
    await rm(folder, { recursive: true });
    await writeFile(folder, 'in the way');
    const session = await rawSession([await host.raw('watcher')]);
    await owner.disposeSession(session);
    await rm(folder);
    await mkdir(folder);
    await expect.poll(async () => (await found('disposeSession')).length, { timeout: 20_000 }).toBe(1);
  });
});

describe('a folder of the audit trail', () => {
  const entry = (n: number, space = 'default') => ({ at: n, event: 'e', text: `entry ${n} ${'x'.repeat(900)}`, space });

  it('keeps the newest files, skips what is damaged, and shows only entries of the space', async () => {
    const root = await temporaryFolder();
    const folder = new AuditFolder(root);
    for (let n = 0; n < 20; n++)
      await folder.append(Array.from({ length: 1_200 }, (_, i) => entry(n * 1_200 + i, i % 2 ? 'default' : 'other')));
    const names = await readdir(join(root, 'audit'));
    expect(names).toHaveLength(16);
    await writeFile(join(root, 'audit', names.at(-1) ?? ''), 'not json\n{"at":1}\n{"at":', { flag: 'a' });
    const again = new AuditFolder(root);
    await again.append([entry(99_999)]);
    const seen: number[] = [];
    let before: string | undefined;
    do {
      const page = await again.read({ space: 'default', limit: 200, ...(before !== undefined && { before }) });
      seen.push(...page.items.map(({ at }) => at));
      before = page.nextCursor;
    } while (before !== undefined);
    expect(seen[0]).toBe(99_999);
    // The newest of the sixteen has one entry.
    expect(seen).toHaveLength(15 * 600 + 1);
    expect(seen).toEqual(seen.toSorted((a, b) => b - a));
    for (const odd of ['', 'x', '0-0', '99999999-9999999', '-1'])
      await again.read({ space: 'default', limit: 1, before: odd });
  });
});
