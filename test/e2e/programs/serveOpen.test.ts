import { watch } from 'node:fs';
import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TokenFile } from '../../../packages/host/src/server/access/tokenFile.js';
import { type HostProcess, spawnHost, startTestHost, temporaryFolder } from '../../support/testHost.js';

describe('serve --open', () => {
  let stateDir: string;
  let bin: string;
  let host: HostProcess | undefined;
  beforeEach(async () => {
    stateDir = await temporaryFolder();
    bin = join(stateDir, 'bin');
    await mkdir(bin);
  });
  afterEach(async () => {
    await host?.kill('SIGKILL');
    await rm(stateDir, { recursive: true, force: true });
  });

  /** Starts a host whose browser only notes its command line; resolves with that, and the file that it was told to open. */
  async function open(): Promise<{ commandLine: string; page: string }> {
    const noted = join(bin, 'noted');
    await writeFile(
      join(bin, 'xdg-open'),
      `#!/bin/sh\ntr '\\0' ' ' < /proc/$$/cmdline > ${noted}.new\nmv ${noted}.new ${noted}\n`,
    );
    await chmod(join(bin, 'xdg-open'), 0o700);
    const watcher = watch(bin);
    const seen = new Promise<void>((resolve) => {
      watcher.on('change', (_event, name) => name === 'noted' && resolve());
    });
    host = await spawnHost(stateDir, ['--state-dir', stateDir, '--open'], { PATH: `${bin}:${process.env['PATH']}` });
    await seen;
    watcher.close();
    const commandLine = await readFile(noted, 'utf8');
    return { commandLine, page: commandLine.trim().split(' ').at(-1) ?? '' };
  }

  // 2026-11-16: other systems open browsers with programs of their own, which a test can't replace.
  describe.skipIf(process.platform !== 'linux')('on Linux', () => {
    it('has no secret in a command line: the browser gets a file that only this user can read', async () => {
      const { commandLine, page } = await open();
      const token = host?.token ?? '';
      expect(commandLine).not.toContain(token);
      const text = await readFile(page, 'utf8');
      const link = /url=([^"]+)"/.exec(text)?.[1] ?? '';
      expect(commandLine).not.toContain(new URL(link).pathname.slice('/open/'.length));
      expect((await stat(page)).mode & 0o777).toBe(0o600);
      expect(text).not.toContain(token);

      const first = await fetch(link, { redirect: 'manual' });
      expect(first.status).toBe(303);
      expect(first.headers.get('location')).toBe(`${host?.url.href}#token=${token}`);
      const second = await fetch(link, { redirect: 'manual' });
      expect(second.status).toBe(410);
      expect(await second.text()).toContain('Open the link that <code>agenthost serve</code> printed');
      expect(second.headers.get('location')).toBeNull();
    });

    it('removes the file when it ends', async () => {
      const { page } = await open();
      await host?.kill('SIGTERM');
      await expect(stat(page)).rejects.toThrow('ENOENT');
    });
  });
});

describe('a link that works once', () => {
  it('is for this machine: not through a proxy, not for a HEAD request, and neither uses it up', async () => {
    const host = await startTestHost();
    try {
      const link = host.host.createOneTimeLink();
      const status = async (init: RequestInit) => (await fetch(link, { redirect: 'manual', ...init })).status;
      expect(await status({ headers: { 'x-forwarded-for': '203.0.113.7' } })).toBe(410);
      expect(await status({ headers: { forwarded: 'for=203.0.113.7' } })).toBe(410);
      expect(await status({ method: 'HEAD' })).toBe(410);
      expect(await status({ headers: { origin: 'https://evil.example.org' } })).toBe(403);
      expect(await status({})).toBe(303);
      expect(await status({})).toBe(410);
    } finally {
      await host.dispose();
    }
  });

  it('leads to the token at the time of use', async () => {
    const host = await startTestHost();
    try {
      const link = host.host.createOneTimeLink();
      const client = await host.raw('watcher');
      const token = await new TokenFile(host.stateDir).rotate();
      await client.closed;
      const { headers } = await fetch(link, { redirect: 'manual' });
      expect(headers.get('location')).toBe(`${host.url.href}#token=${token}`);
    } finally {
      await host.dispose();
    }
  });
});
