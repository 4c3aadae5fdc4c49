import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { OneTimeLinks } from '../../../src/server/access/oneTimeLinks.js';

/** The status with which it answers a request of this machine. */
function ask(links: OneTimeLinks, url: string): number {
  let status = 0;
  const response = {
    writeHead: (given: number) => {
      status = given;
      return { end: () => {} };
    },
  };
  const request = { method: 'GET', url, headers: {}, socket: { remoteAddress: '127.0.0.1' } };
  links.serve(request as unknown as IncomingMessage, response as unknown as ServerResponse);
  return status;
}

it('works for a browser that takes nine minutes to start, and not after ten', () => {
  let now = 0;
  const links = new OneTimeLinks(() => now);
  const [slow, late] = [links.create(() => '/'), links.create(() => '/')];
  now = 9 * 60_000;
  expect(ask(links, slow)).toBe(303);
  now = 10 * 60_000;
  expect(ask(links, late)).toBe(410);
});

it('are bounded in number', () => {
  const links = new OneTimeLinks();
  const all = Array.from({ length: 100 }, () => links.create(() => '/'));
  expect(all.filter((path) => ask(links, path) === 303).length).toBe(16);
});
