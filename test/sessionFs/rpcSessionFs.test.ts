import { describe, expect, it } from 'vitest';
import { ConnectionSessionFs } from '../../packages/host/src/connection/connectionSessionFs.js';
import { RpcSessionFs } from '../../packages/host/src/storage/client/rpcSessionFs.js';
import { MemorySessionFs } from '../../packages/host/src/storage/fs/memorySessionFs.js';
import { memoryHandler, textHandler } from '../support/storage/memoryProvider.js';
import { providedContract, provideSessionFs, rawContract } from '../support/storage/providedSessionFs.js';

const STATE_PATH = '/state';

function provided({ conventions = 'posix' as 'posix' | 'windows' } = {}) {
  const sessionStatePath = conventions === 'windows' ? 'C:\\state' : STATE_PATH;
  const files = new MemorySessionFs({ conventions, sessionStatePath });
  return provideSessionFs(memoryHandler(files), { conventions, sessionStatePath });
}

const files = () => new MemorySessionFs({ sessionStatePath: STATE_PATH });

describe.each([
  ['a client that uses the SDK', providedContract(() => memoryHandler(files()))],
  ['a client that uses the SDK and keeps text alone', providedContract(() => textHandler(files()))],
  ['a client that does not use the SDK', rawContract(() => memoryHandler(files()))],
  ['a client that does not use the SDK and keeps text alone', rawContract(() => textHandler(files()))],
])('RpcSessionFs of %s', (_client, cases) => {
  for (const { name, run } of cases) it(name, run);
});

describe('RpcSessionFs, over a connection to a client', () => {
  it("calls only the ten methods, each with its session's id", async () => {
    const { fs, host } = await provided();
    // What the client understands is found out once, with a file of its own.
    await fs.stat(STATE_PATH);
    const called: [string, unknown][] = [];
    const request = host.request.bind(host);
    host.request = (method, params, options) => {
      called.push([method, (params as { sessionId: string }).sessionId]);
      return request(method, params, options);
    };
    const path = fs.join(STATE_PATH, 'a');
    await fs.writeFile(path, 'text');
    await fs.appendFile(path, ' and more');
    expect(await fs.readFile(path)).toBe('text and more');
    await fs.exists(path);
    await fs.stat(path);
    await fs.mkdir(fs.join(STATE_PATH, 'b'));
    await fs.readdir(STATE_PATH);
    await fs.readdirWithTypes(STATE_PATH);
    await fs.rename(path, fs.join(STATE_PATH, 'c'));
    await fs.rm(fs.join(STATE_PATH, 'c'));
    const methods = 'writeFile appendFile readFile exists stat mkdir readdir readdirWithTypes rename rm'.split(' ');
    expect(called).toEqual(methods.map((method) => [`sessionFs.${method}`, 's1']));
  });

  it('keeps sessions apart: the same path has another lock, and a foreign id is refused', async () => {
    const { fs, provider } = await provided();
    const other = new RpcSessionFs(provider, 's2');
    expect(other.lockKey('/a')).not.toBe(fs.lockKey('/a'));
    await expect(other.readFile('/a')).rejects.toMatchObject({
      message: expect.stringContaining('keeps no session s2'),
    });
  });

  it('fails clearly when the client disconnects: running, waiting and later calls', async () => {
    const { fs, client } = await provided();
    const calls = Array.from({ length: 50 }, () =>
      fs.exists('/a').then(
        () => 'answered',
        (error: unknown) => error,
      ),
    );
    client.dispose();
    for (const outcome of await Promise.all(calls)) expect(outcome).toMatchObject({ code: 'UNAVAILABLE' });
    await expect(fs.readFile('/a')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('refuses an invalid answer', async () => {
    const config = { initialCwd: '/', sessionStatePath: STATE_PATH, conventions: 'posix' } as const;
    for (const nonsense of [null, {}, { exists: 'yes' }, 'yes', { content: 5 }]) {
      const fs = new RpcSessionFs(new ConnectionSessionFs(config, async () => nonsense), 's1');
      await expect(fs.exists('/a')).rejects.toMatchObject({ code: 'EPROTO' });
    }
  });

  it("makes paths by the client's conventions", async () => {
    const { fs } = await provided({ conventions: 'windows' });
    expect([fs.join(fs.sessionStatePath, 'files', 'a.txt'), fs.tmpdir]).toEqual([
      'C:\\state\\files\\a.txt',
      'C:\\state\\temp',
    ]);
  });
});
