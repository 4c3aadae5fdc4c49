import { ERROR_CODE } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import { beforeEach, describe, expect, it } from 'vitest';
import { LOAD_PATIENCE_MS, LoadFailures } from '../../src/connection/loadFailures.js';
import { lookUp } from '../../src/connection/lookUp.js';
import { silentLog } from '../../src/hostLog.js';
import { SessionFsFailure } from '../../src/storage/fs/sessionFs.js';

let now: number;
let failures: LoadFailures;

beforeEach(() => {
  now = 1_000;
  failures = new LoadFailures(() => now);
});

const open = async (uri: string) => {
  if (uri === 'mock:/gone') throw new RpcError(ERROR_CODE.sessionNotFound, 'no session');
  if (uri === 'mock:/broken') throw new SessionFsFailure('EIO', 'i/o error');
  if (uri === 'mock:/bug') throw new TypeError('secret detail');
  return uri;
};
const ask = (protocolVersion: number, ...uris: string[]) =>
  lookUp(uris, open, { failures, protocolVersion, log: silentLog });

describe('lookUp', () => {
  it('[REC3] reports missing and failed sessions to a client of version 2', async () => {
    const { found, missing, failed } = await ask(2, 'mock:/a', 'mock:/gone', 'mock:/broken', 'mock:/bug');
    expect([[...found.keys()], missing]).toEqual([['mock:/a'], ['mock:/gone']]);
    expect(failed).toEqual([
      {
        resource: 'mock:/broken',
        error: { code: -32603, message: "the session's files could not be read or written: i/o error" },
      },
      { resource: 'mock:/bug', error: { code: -32603, message: 'internal error' } },
    ]);
  });

  it('[REC3] never reports a failing session as missing to a client of version 2', async () => {
    await ask(2, 'mock:/broken');
    now += 100 * LOAD_PATIENCE_MS;
    expect(await ask(2, 'mock:/broken')).toMatchObject({ missing: [], failed: [{ resource: 'mock:/broken' }] });
  });

  it('[REC3] makes a client of version 1 try again, and resumes the others after a while', async () => {
    for (let times = 0; times < 6; times++) {
      await expect(ask(1, 'mock:/a', 'mock:/broken')).rejects.toMatchObject({ code: ERROR_CODE.tooManyRequests });
      now += LOAD_PATIENCE_MS / 6;
    }
    const { found, missing, failed } = await ask(1, 'mock:/a', 'mock:/broken');
    expect([[...found.keys()], missing, failed]).toEqual([['mock:/a'], ['mock:/broken'], []]);
  });

  it('[REC3] starts waiting again after a session could be loaded, or after a long time without requests', async () => {
    await expect(ask(1, 'mock:/broken')).rejects.toThrow('try again');
    failures.delete('mock:/broken');
    now += LOAD_PATIENCE_MS;
    await expect(ask(1, 'mock:/broken')).rejects.toThrow('try again');
    now += LOAD_PATIENCE_MS;
    await expect(ask(1, 'mock:/broken')).rejects.toThrow('try again');
  });

  it('remembers a bounded number of failing sessions', () => {
    for (let n = 0; n < 10_000; n++) failures.add(`mock:/${n}`);
    now += LOAD_PATIENCE_MS - 1;
    failures.add('mock:/9999');
    now += 1;
    // The one that failed first was forgotten, the last one was not.
    expect([failures.add('mock:/0'), failures.add('mock:/9999')]).toEqual([false, true]);
  });
});
