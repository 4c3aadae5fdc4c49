import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { TrustFile } from '../../src/customizations/workspaceTrust.js';
import { silentLog } from '../../src/hostLog.js';
import { temporaryFolder } from '../agents/support/sessions.js';

it('trusts exactly the stored folders, by their exact paths', async () => {
  const state = await temporaryFolder();
  const trust = new TrustFile(state, silentLog);
  await Promise.all(['/a/b', '/c', '/a/b'].map((folder) => trust.trust(folder)));
  expect(JSON.parse(await readFile(join(state, 'trust.json'), 'utf8'))).toEqual({ folders: ['/c', '/a/b'] });
  expect((await stat(join(state, 'trust.json'))).mode & 0o777).toBe(0o600);
  expect(await readdir(state)).toEqual(['trust.json']);
  const again = new TrustFile(state, silentLog);
  const asked = ['/a/b', '/c', '/a', '/a/b/c', '/a/b/'];
  expect(await Promise.all(asked.map((folder) => again.isTrusted(folder)))).toEqual([true, true, false, false, false]);
});

it('trusts nothing when the file can not be read', async () => {
  const state = await temporaryFolder();
  for (const content of ['{ "folders": ["/a"', '{ "folders": "/a" }', 'null', '["/a"]']) {
    await writeFile(join(state, 'trust.json'), content);
    expect(await new TrustFile(state, silentLog).isTrusted('/a')).toBe(false);
  }
});

it('keeps an answer that could not be stored, and says so', async () => {
  const state = await temporaryFolder();
  const errors: string[] = [];
  const trust = new TrustFile(join(state, 'gone'), {
    ...silentLog,
    error: (message) => void errors.push(message),
  });
  await trust.trust('/a');
  expect(errors).toHaveLength(1);
  expect(await trust.isTrusted('/a')).toBe(true);
});
