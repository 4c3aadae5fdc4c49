import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { OneTimeLinks } from '../../../src/server/access/oneTimeLinks.js';

/** The status with which it answers a request of this machine. */
async function ask(links: OneTimeLinks, url: string): Promise<number> {
  let status = 0;
  const response = {
    writeHead: (given: number) => {
      status = given;
      return { end: () => {} };
    },
  };
  const request = { method: 'GET', url, headers: {}, socket: { remoteAddress: '127.0.0.1' } };
  await links.serve(request as unknown as IncomingMessage, response as unknown as ServerResponse);
  return status;
}

it('works for a browser that takes nine minutes to start, and not after ten', async () => {
  let now = 0;
  const links = new OneTimeLinks(() => now);
  const [slow, late] = [links.create(() => '/'), links.create(() => '/')];
  now = 9 * 60_000;
  expect(await ask(links, slow)).toBe(303);
  now = 10 * 60_000;
  expect(await ask(links, late)).toBe(410);
});

it('are bounded in number', async () => {
  const links = new OneTimeLinks();
  const all = Array.from({ length: 100 }, () => links.create(() => '/'));
  const statuses = await Promise.all(all.map((path) => ask(links, path)));
  expect(statuses.filter((status) => status === 303).length).toBe(16);
});
