import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from '@agenthost/client';
import { expect, it } from 'vitest';
import { copyRepository } from '../../support/repositoryCopy.js';
import { until } from '../../support/until.js';

const LONG = 120_000;

it('npm run dev: the host and the page reload, clients lose nothing, Ctrl+C ends all of it', {
  timeout: 3 * LONG,
}, async () => {
  const folder = await copyRepository();
  const args = ['dev', '--page-port', '0', '--enable-mock-agent', '--state-dir', join(folder, 'state')];
  // In a group of its own, so that it gets its signal as from a terminal.
  const dev = spawn(process.execPath, [join(folder, 'scripts/run.mjs'), ...args], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', HOME: folder },
  });
  const exited = once(dev, 'exit');
  let said = '';
  try {
    const link = await new Promise<URL>((resolve, reject) => {
      const hear = (chunk: unknown) => {
        said += String(chunk);
        const found = /http:\S+#token=\S+\n/.exec(said)?.[0];
        if (found) resolve(new URL(found));
      };
      dev.stdout.on('data', hear);
      dev.stderr.on('data', hear);
      void exited.then(() => reject(new Error(`it ended: ${said}`)));
    });
    const host = await connect({ url: link.origin, token: link.hash.slice('#token='.length) });
    const session = await host.createSession({ provider: 'mock' });
    await session.ready();
    const turn = async () => {
      const id = await session.send('hello');
      await until(session.confirmed, ({ turns }) => turns.some((ended) => ended.id === id), 'a turn', LONG);
    };
    await turn();

    const version = join(folder, 'packages/host/src/version.ts');
    const source = await readFile(version, 'utf8');
    await writeFile(version, source.replace('= manifest.version', "= manifest.version + '-changed'"));
    const isNew = ({ state }: { state: string }) =>
      state === 'connected' && host.serverInfo?.version.endsWith('-changed') === true;
    await until(host.connection, isNew, `the changed host (${said})`, LONG);
    await turn();
    expect(session.confirmed.value.turns.length).toBe(2);

    const reloaded = await pageReloads(link);
    await appendFile(join(folder, 'apps/web/src/main.tsx'), '\nconsole.debug("changed");\n');
    await reloaded();
    host.close();

    process.kill(-(dev.pid ?? 0), 'SIGINT');
    expect(await exited).toEqual([0, null]);
    await expect(fetch(link.origin)).rejects.toThrow();
  } finally {
    if (dev.exitCode === null) process.kill(-(dev.pid ?? 0), 'SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }
});

/** Listens as the page does; what it gives resolves when the page is told to reload. */
async function pageReloads({ origin }: URL): Promise<() => Promise<void>> {
  const client = await (await fetch(`${origin}/@vite/client`)).text();
  await (await fetch(`${origin}/src/main.tsx`)).text();
  const token = /wsToken = "([^"]+)"/.exec(client)?.[1] ?? '';
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/?token=${token}`, 'vite-hmr');
  const told = new Promise<void>((resolve, reject) => {
    socket.addEventListener('error', () => reject(new Error('the development server refused the socket')));
    socket.addEventListener('message', ({ data }) => {
      if (['full-reload', 'update'].includes((JSON.parse(String(data)) as { type: string }).type)) resolve();
    });
  });
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  return () => told.finally(() => socket.close());
}
