import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CommandFailedError, type HostClient, type SessionHandle } from '@agenthost/client';
import type { Role } from '@agenthost/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeviceTokens } from '../../../packages/host/src/server/access/deviceTokens.js';
import { RawClient } from '../../support/rawClient.js';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';

describe('the files of a session', () => {
  let stateDir: string;
  let folder: string;
  let host: TestHost;
  let client: HostClient;
  let session: SessionHandle;
  const logged: string[] = [];

  beforeAll(async () => {
    stateDir = await temporaryFolder();
    folder = join(await temporaryFolder(), 'project');
    await mkdir(join(folder, 'src'), { recursive: true });
    await writeFile(join(folder, 'src/a.ts'), 'export const a = 1;\n');
    await writeFile(join(folder, '.env'), 'KEY=hush-hush\n');
    await symlink('/etc/passwd', join(folder, 'passwd'));
    const say = (text: string) => logged.push(text);
    const log = { error: say, warn: say, info: say, debug: say };
    host = await startTestHost({ stateDir, log });
    client = await host.connect();
    session = await client.createSession({ provider: 'shell', workingDirectory: pathToFileURL(folder).href });
    await session.ready();
  });
  afterAll(async () => {
    await host.dispose();
    for (const made of [stateDir, join(folder, '..')]) await rm(made, { recursive: true, force: true, maxRetries: 5 });
  });

  const refusal = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof CommandFailedError)) throw new Error(`not refused: ${String(error)}`);
    return error;
  };

  it('[FILE1] are listed, found, checked and read', async () => {
    const { entries } = await client.files.list(session.uri);
    expect(entries.map(({ name, type }) => `${type} ${name}`)).toEqual(['folder src', 'file .env', 'link passwd']);
    const { files } = await client.files.find(session.uri, { query: 'a.ts' });
    expect(files).toEqual([{ path: 'src/a.ts', type: 'file' }]);
    const page = await client.files.read(session.uri, { path: 'src/a.ts' });
    expect(page).toMatchObject({ path: 'src/a.ts', kind: 'text', text: 'export const a = 1;\n', line: 1, offset: 0 });
    const checked = await client.files.check(session.uri, [
      join(folder, 'src/a.ts'),
      'src',
      'none',
      '/etc/passwd',
      'passwd',
    ]);
    expect(checked.files).toEqual([
      { path: join(folder, 'src/a.ts'), found: 'src/a.ts', type: 'file' },
      { path: 'src', found: 'src', type: 'folder' },
    ]);
  });

  it('[FILE2] are those of the folder only, and an error says which', async () => {
    expect(await refusal(client.files.read(session.uri, { path: '../x' }))).toMatchObject({
      code: -32009,
      data: { code: 'refused' },
      message: expect.stringContaining('"../x" is outside of the session\'s folder.'),
    });
    expect((await refusal(client.files.read(session.uri, { path: 'passwd' }))).data).toEqual({ code: 'refused' });
    expect((await refusal(client.files.read(session.uri, { path: 'none' }))).data).toEqual({ code: 'notFound' });
    expect((await refusal(client.files.read(session.uri, { path: 'src' }))).data).toEqual({ code: 'notAFile' });
    expect((await refusal(client.files.list(session.uri, { path: '.env' }))).data).toEqual({ code: 'notAFolder' });
  });

  it('[FILE3] are for drivers and owners', async () => {
    const devices = new DeviceTokens(stateDir);
    const commands = {
      listFolder: { session: session.uri },
      readFile: { session: session.uri, path: '.env' },
      findFiles: { session: session.uri, query: '' },
      checkFiles: { session: session.uri, paths: ['.env'] },
    };
    for (const role of ['viewer', 'approver', 'driver'] as const satisfies readonly Role[]) {
      const raw = await RawClient.open({ url: host.url, token: await devices.add(`a ${role}`, role) });
      await raw.request('initialize', { protocolVersion: 2, clientId: role });
      for (const [method, params] of Object.entries(commands)) {
        const { error } = await raw.ask(method, params);
        expect([role, method, error?.data]).toEqual([
          role,
          method,
          role === 'driver' ? undefined : { role, needs: 'driver' },
        ]);
      }
      await raw.end();
    }
  });

  it('[FILE4] are in no log, state or file of the host', async () => {
    expect((await client.files.read(session.uri, { path: '.env' })).text).toContain('hush-hush');
    await client.files.find(session.uri, { query: 'env' });
    expect(JSON.stringify(session.confirmed.value)).not.toContain('hush-hush');
    expect(logged.join('\n')).not.toContain('hush-hush');
    const events = await readFile(
      join(stateDir, 'session-state', session.uri.split('/').at(-1) ?? '', 'events.jsonl'),
      'utf8',
    ).catch(() => '');
    expect(events).not.toContain('hush-hush');
  });

  it('[FILE5] of a session whose folder is gone say so', async () => {
    const gone = join(folder, 'gone');
    await mkdir(gone);
    const other = await client.createSession({ provider: 'shell', workingDirectory: pathToFileURL(gone).href });
    await other.ready();
    await rm(gone, { recursive: true });
    expect((await refusal(client.files.list(other.uri))).message).toContain(
      'The folder of this session does not exist.',
    );
    expect((await refusal(client.files.find(other.uri, { query: '' }))).data).toEqual({ code: 'notFound' });
  });
});
