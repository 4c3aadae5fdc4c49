import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RawClient } from '../../support/rawClient.js';
import { startTestHost, type TestHost } from '../../support/testHost.js';

describe('browseDirectory', () => {
  let host: TestHost;
  let alice: RawClient;

  beforeAll(async () => {
    host = await startTestHost();
    alice = await host.raw('alice');
  });
  afterAll(() => host.dispose());

  it('shows files, folders, links, and the branch of a checkout', async () => {
    const folder = join(host.stateDir, 'browse');
    await mkdir(join(folder, 'checkout', '.git'), { recursive: true });
    await writeFile(join(folder, 'checkout', '.git', 'HEAD'), 'ref: refs/heads/feature/x\n');
    await mkdir(join(folder, 'détached', '.git'), { recursive: true });
    await writeFile(join(folder, 'détached', '.git', 'HEAD'), '0123456789abcdef0123456789abcdef01234567\n');
    await writeFile(join(folder, 'a file.txt'), '');
    await symlink('checkout', join(folder, 'link'));
    const uri = (name: string) => pathToFileURL(join(folder, name)).href;
    expect(await alice.request('browseDirectory', { uri: pathToFileURL(folder).href })).toEqual({
      entries: [
        { name: 'a file.txt', type: 'file', uri: uri('a file.txt') },
        { name: 'checkout', type: 'directory', uri: uri('checkout'), branch: 'feature/x' },
        { name: 'détached', type: 'directory', uri: uri('détached') },
        { name: 'link', type: 'symlink', uri: uri('link') },
      ],
    });
  });

  it.each([
    ['file:///no/such/folder', -32008, 'file:///no/such/folder does not exist'],
    ['file:///etc/passwd', -32008, 'file:///etc/passwd is not a directory'],
    ['https://example.org/', -32602, 'not a file: URI of this machine: https://example.org/'],
    ['file://elsewhere/etc', -32602, 'not a file: URI of this machine: file://elsewhere/etc'],
    ['/etc', -32602, 'not a file: URI of this machine: /etc'],
    ['file:///etc%2Fx', -32602, 'not a file: URI of this machine: file:///etc%2Fx'],
  ])('refuses %s', async (uri, code, message) => {
    expect(await alice.refusal('browseDirectory', { uri })).toEqual({ code, message });
  });

  // 2026-11-15: nothing is unreadable for root, which these tests run as in the container.
  it.skipIf(process.getuid?.() === 0)('refuses a folder that the user may not read', async () => {
    const folder = join(host.stateDir, 'secret');
    await mkdir(folder, { mode: 0o000 });
    expect(await alice.refusal('browseDirectory', { uri: pathToFileURL(folder).href })).toMatchObject({
      code: -32009,
    });
  });
});
