import type { SessionState } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/hostLog.js';
import { PushNotifications } from '../../src/push/pushNotifications.js';
import type { PushDevice, PushStore } from '../../src/push/pushStore.js';
import { NO_LOOKERS } from '../../src/state/publisher.js';

const IDLE = {
  summary: { resource: 'mock:/s', title: '', status: 'inProgress' },
  turns: [],
} as unknown as SessionState;

/** A session that asks one question. */
function asking(n: number): SessionState {
  const request = { requestId: `r${n}`, kind: 'permission', title: 'May I?', message: 'Please' };
  const activeTurn = { id: 't', toolCalls: {}, pendingPermissions: { [request.requestId]: request } };
  return { ...IDLE, summary: { ...IDLE.summary, status: 'inputNeeded' }, activeTurn } as unknown as SessionState;
}

describe('notifications of a host', () => {
  it('are bounded while nobody knows yet whom to tell, however much happens', async () => {
    const listed = Promise.withResolvers<readonly PushDevice[]>();
    let lists = 0;
    const store: PushStore = {
      isShared: true,
      keys: (make) => make(),
      change: async () => {},
      list: () => {
        lists++;
        return listed.promise;
      },
    };
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (text: string) => void warnings.push(text) };
    const push = new PushNotifications({ store, log, limits: { changes: 100 } });
    push.setTokens([{ credential: { id: 'owner', role: 'owner' }, digest: Buffer.from('x') }], async () => {});
    let looks = 0;
    const lookers = () => {
      looks++;
      return NO_LOOKERS;
    };
    for (let n = 0; n < 10_000; n++) push.changed({ space: 'default', before: IDLE, after: asking(n), lookers });
    expect(warnings).toEqual(['more happens than can be pushed: some notifications are left out']);
    listed.resolve([]);
    await expect.poll(() => lists).toBe(1);
    // Nobody is subscribed, so nobody has to be looked for.
    expect(looks).toBe(0);
    push.dispose();
  });
});
