import { rm } from 'node:fs/promises';
import { CLOSE_CODE } from '@agenthost/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { SessionFsFailure } from '../../../packages/host/src/storage/fs/sessionFs.js';
import { LocalSessionStorage } from '../../../packages/host/src/storage/localSessionStorage.js';
import { rawSession, startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

/** A disk that now and then does not let a session's files go. */
class StubbornStorage extends LocalSessionStorage {
  refusesNext = false;

  constructor(stateRoot: string) {
    super({
      stateRoot,
      listSessionIds: async function* () {},
      durability: 'write',
      initialCwd: stateRoot,
      now: Date.now,
      newId: () => crypto.randomUUID(),
      onDamage: () => {},
    });
  }

  override async remove(sessionId: string): Promise<void> {
    if (this.refusesNext) {
      this.refusesNext = false;
      throw new SessionFsFailure('EIO', 'the disk does not answer');
    }
    await super.remove(sessionId);
  }
}

describe('a failing disposeSession', () => {
  let host: TestHost;
  let stateDir: string;
  afterEach(async () => {
    await host.dispose();
    await rm(stateDir, { recursive: true, force: true });
  });

  it('reports the reason, makes subscribers subscribe again, and can be repeated', async () => {
    stateDir = await temporaryFolder();
    const storage = new StubbornStorage(stateDir);
    host = await startTestHost({ stateDir, storage });
    const [alice, bob] = [await host.raw('alice'), await host.raw('bob')];
    const session = await rawSession([bob]);
    const sdk = await host.connect();
    const watched = await sdk.openSession(session);

    storage.refusesNext = true;
    expect(await alice.refusal('disposeSession', { session })).toMatchObject({
      message: expect.stringContaining('the disk does not answer'),
    });
    expect(await bob.closed).toMatchObject({ code: CLOSE_CODE.resync });
    // The SDK comes back by itself, and hears of what happens next.
    await alice.act({ session, type: 'session/titleChanged', title: 'still there' });
    await until(watched.confirmed, ({ summary }) => summary.title === 'still there');

    expect(await alice.request('disposeSession', { session })).toBeNull();
    await alice.next(({ params }) => params?.notification?.type === 'notify/sessionRemoved', 'the removal');
  });
});
