import { execFileSync } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostClient, SessionHandle } from '@agenthost/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Delivery } from '../../packages/host/src/state/delivery.js';
import { startTestHost, type TestHost, temporaryFolder } from '../support/testHost.js';
import { until } from '../support/until.js';
import { amount, isWhole, LONG_MS, PATIENCE_MS } from './support/amount.js';

const FILLS = amount('fills', { smoke: 2, full: 50 });

/** A file system of its own that can be filled, or `undefined` where this user may not mount one. */
function mountSmallDisk(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const canMount = await (async () => {
  const folder = await temporaryFolder();
  const mounted = mountSmallDisk(folder);
  if (mounted) execFileSync('umount', [folder]);
  await rm(folder, { recursive: true, force: true });
  return mounted;
})();

// 2026-11-15: a disk can be made full only where the tests may mount one, which takes root and Linux.
describe.skipIf(!canMount)('a full disk', { timeout: LONG_MS }, () => {
  let stateDir: string;
  let host: TestHost;
  let alice: HostClient;
  let bob: HostClient;
  let hers: SessionHandle;
  let his: SessionHandle;

  const filler = () => join(stateDir, 'filler');
  /** In the log itself: longer texts are files of their own. */
  const long = 'x'.repeat(60_000);

  async function start(): Promise<void> {
    host = await startTestHost({ stateDir });
    alice = await host.connect({ clientInfo: { name: 'Alice' } });
    bob = await host.connect({ clientInfo: { name: 'Bob' } });
  }

  beforeEach(async () => {
    stateDir = await temporaryFolder();
    mountSmallDisk(stateDir);
    await start();
    hers = await alice.createSession({ provider: 'mock' });
    await hers.ready();
    his = await bob.openSession(hers.uri);
    await until(hers.confirmed, ({ clients }) => clients?.length === 2, 'both of them');
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await host.dispose();
    execFileSync('umount', [stateDir]);
    await rm(stateDir, { recursive: true, force: true });
  });

  async function fill(): Promise<void> {
    const file = await open(filler(), 'w');
    try {
      for (const size of [65_536, 4_096, 1]) {
        const block = Buffer.alloc(size);
        for (;;) await file.write(block);
      }
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' });
    } finally {
      await file.close();
    }
  }

  const ended = (session: SessionHandle, count: number) =>
    until(
      session.confirmed,
      ({ turns, activeTurn }) => turns.length === count && !activeTurn,
      `${count} ended turns`,
      PATIENCE_MS,
    );

  it('changes that can not be stored are refused with the reason, and not sent; with room again everything works', async () => {
    await hers.rename('before');
    await hers.send('hello');
    await ended(his, 1);
    await fill();
    const before = his.confirmed.value;
    const seen: unknown[] = [];
    const watched = his.confirmed.subscribe((state) => seen.push(state));
    await expect(
      hers.dispatch({ type: 'session/pendingMessageSet', kind: 'queued', id: 'q', userMessage: { text: long } }),
    ).rejects.toThrow(/could not be stored: .*ENOSPC/);
    await bob.ping();
    watched.dispose();
    expect(seen).toEqual([]);
    expect(his.confirmed.value).toBe(before);
    expect(hers.state.value).toBe(hers.confirmed.value);
    expect(hers.confirmed.value.turns).toEqual(before.turns);
    expect((await bob.listSessions()).items).toEqual([before.summary]);
    await expect(bob.createSession({ provider: 'mock' })).rejects.toThrow(/ENOSPC/);

    await rm(filler());
    const found = async () => (await bob.listSessions({ filter: { text: 'xxx' } })).total;
    expect(await found()).toBe(0);
    await hers.dispatch({ type: 'session/pendingMessageSet', kind: 'queued', id: 'q', userMessage: { text: long } });
    await ended(hers, 2);
    expect(await found()).toBe(1);
    await hers.rename('after');
    const other = await bob.createSession({ provider: 'mock' });
    await other.ready();
    await host.dispose();
    await start();
    const again = await alice.openSession(hers.uri);
    expect(again.confirmed.value).toMatchObject({
      summary: { title: 'after' },
      turns: [{ userMessage: { text: 'hello' } }, { id: 'q', userMessage: { text: long }, state: 'complete' }],
    });
    expect((await alice.listSessions()).total).toBe(2);
  });

  it('ends the running turn with an error that says so; acknowledged actions are there after a restart', async () => {
    await hers.send('slow', 'running');
    await hers.queue('first in the queue');
    await until(his.confirmed, ({ queuedMessages }) => queuedMessages?.length === 1, 'the queue');
    await fill();
    await expect(hers.queue(long)).rejects.toThrow(/could not be stored: .*ENOSPC/);
    for (const session of [hers, his]) {
      const { turns, queuedMessages } = await ended(session, 1);
      expect(turns).toMatchObject([{ id: 'running', state: 'error', error: { errorType: 'storage' } }]);
      expect(queuedMessages).toMatchObject([{ userMessage: { text: 'first in the queue' } }]);
    }
    await rm(filler());
    await hers.send('go on');
    await ended(hers, 3);
    await host.dispose();
    await start();
    const again = await alice.openSession(hers.uri);
    expect(again.confirmed.value.turns.map(({ userMessage, state }) => [userMessage.text, state])).toEqual([
      ['slow', 'error'],
      ['go on', 'complete'],
      ['first in the queue', 'complete'],
    ]);
  });

  it('a turn that could not be stored is not run', async () => {
    await fill();
    await expect(hers.send(`slow ${long}`)).rejects.toThrow(/could not be stored: .*ENOSPC/);
    await rm(filler());
    await hers.send('hello');
    expect(await ended(his, 1)).toMatchObject({ turns: [{ userMessage: { text: 'hello' }, state: 'complete' }] });
  });

  /** Runs full again and again in the middle of the work, and is emptied again. Throws at the first that is lost. */
  async function fillAndEmpty(times: number) {
    // More than what is left on a full disk; little enough for all of them to fit on an empty one.
    const text = 'x'.repeat(12_000);
    const accepted: string[] = [];
    const refused: string[] = [];
    const attempt = async (id: string) => {
      const message = { type: 'session/pendingMessageSet', kind: 'queued', id, userMessage: { text } } as const;
      await hers.dispatch(message).then(
        () => accepted.push(id),
        (error: unknown) => {
          expect(String(error)).toMatch(/could not be stored: .*ENOSPC/);
          refused.push(id);
        },
      );
    };
    for (let n = 0; n < times; n++) {
      await attempt(`before-${n}`);
      await fill();
      await Promise.all([attempt(`full-${n}`), attempt(`full-too-${n}`)]);
      await rm(filler());
      // A turn that ended because of the disk leaves the queue waiting for another message.
      await until(hers.confirmed, ({ activeTurn }) => !activeTurn, 'the end of the turn', PATIENCE_MS);
      await hers.send('go on', `after-${n}`);
      accepted.push(`after-${n}`);
      await until(
        hers.confirmed,
        ({ activeTurn, queuedMessages }) => !activeTurn && !queuedMessages,
        'rest',
        PATIENCE_MS,
      );
    }
    await bob.ping();
    const seen = his.confirmed.value;
    await host.dispose();
    await start();
    const again = await alice.openSession(hers.uri);
    const earlier: string[] = [];
    for await (const { id } of again.history({ pageSize: 200 })) earlier.push(id);
    const found = [...earlier, ...again.confirmed.value.turns.map(({ id }) => id)];
    expect(again.confirmed.value.turns).toEqual(seen.turns.slice(-again.confirmed.value.turns.length));
    expect(
      accepted.filter((id) => found.filter((one) => one === id).length !== 1),
      'lost or doubled',
    ).toEqual([]);
    expect(
      refused.filter((id) => found.includes(id)),
      'refused, but there',
    ).toEqual([]);
    return { accepted: accepted.length, refused: refused.length };
  }

  it('again and again: accepted actions are there once, refused ones are not', { timeout: LONG_MS }, async () => {
    const { accepted, refused } = await fillAndEmpty(FILLS);
    console.info(`${FILLS} times a full disk, ${accepted} accepted, ${refused} refused, 0 lost, 0 doubled`);
    expect(refused).toBeGreaterThanOrEqual(FILLS);
  });

  it.runIf(isWhole)(
    'which a host that acknowledges before it has stored does not pass',
    { timeout: LONG_MS },
    async () => {
      vi.spyOn(Delivery.prototype, 'requireStored').mockImplementation(() => {});
      await expect(fillAndEmpty(10)).rejects.toThrow();
    },
  );

  it('a host that starts on it says so, and starts when there is room', async () => {
    await host.dispose();
    await fill();
    await expect(startTestHost({ stateDir })).rejects.toThrow(
      `The state folder ${stateDir} can't be used: the disk is full (ENOSPC). ` +
        'Choose another with --state-dir or $AGENTHOST_HOME.',
    );
    await rm(filler());
    await start();
    expect((await alice.openSession(hers.uri)).confirmed.value.lifecycle).toBe('ready');
  });

  it('while an agent keeps talking: the host survives, and reports what it could not keep', async () => {
    await hers.send('stream 200000', 'flood');
    await fill();
    const { turns } = await ended(his, 1);
    expect(['error', 'complete']).toContain(turns[0]?.state);
    await rm(filler());
    await bob.ping();
    await his.send('hello');
    await ended(his, 2);
    await ended(hers, 2);
    expect(hers.confirmed.value.turns).toEqual(his.confirmed.value.turns);
  });
});
