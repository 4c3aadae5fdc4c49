import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PageFiles } from '../../src/server/pageFiles.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agenthost-page-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** What is handed to the connection of a request for the page. */
async function served(page: PageFiles | undefined): Promise<Buffer> {
  let content: Buffer = Buffer.alloc(0);
  const response = {
    writeHead: () => response,
    end: (piece: Buffer) => {
      content = piece;
    },
  };
  const request = { url: '/', method: 'GET', headers: {} } as IncomingMessage;
  await page?.serve(request, response as unknown as ServerResponse, (turn) => void turn());
  return content;
}

it('keeps one copy of a file for all requests, and reads it again when the page was rebuilt', async () => {
  const file = join(folder, 'index.html');
  await writeFile(file, 'first');
  const page = PageFiles.open(folder);
  const [one, another] = [await served(page), await served(page)];
  expect(String(one)).toBe('first');
  expect(another.buffer).toBe(one.buffer);
  await writeFile(file, 'second');
  await utimes(file, new Date(), new Date(Date.now() + 10_000));
  expect(String(await served(page))).toBe('second');
});
