import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LocalSessionFs } from '../../packages/host/src/storage/fs/localSessionFs.js';
import { temporaryFolder } from '../support/testHost.js';

const ROUNDS = Number(process.env['AGENTHOST_SECURITY_ROUNDS'] ?? 300);
const SECRET = 'what is outside';

let root: string;
let fs: LocalSessionFs;
let flipper: Worker;
beforeEach(async () => {
  root = await temporaryFolder();
  const outside = join(root, 'outside');
  await mkdir(outside);
  for (const name of ['a', 'b']) await writeFile(join(outside, name), SECRET);
  fs = await LocalSessionFs.open({ stateRoot: root, sessionId: 'flipped' });
  const folder = join(fs.sessionStatePath, 'files');
  await mkdir(folder);
  for (const name of ['a', 'b']) await writeFile(join(folder, name), 'inside');
  flipper = new Worker(join(import.meta.dirname, 'flipper.mjs'), { workerData: { folder, outside } });
  await once(flipper, 'message');
});
afterEach(async () => {
  await flipper.terminate();
  await fs.dispose();
  await rm(root, { recursive: true, force: true });
});

it(`point 8: ${ROUNDS} reads and writes of each kind beside a link that flips: nothing outside is read or changed`, async () => {
  const outcomes = { inside: 0, refused: 0, escaped: 0 };
  const count = (text: string) => {
    if (text.includes(SECRET)) outcomes.escaped++;
    else outcomes.inside++;
  };
  const refused = () => void outcomes.refused++;
  const lines = async () => {
    for await (const line of fs.readLines('files/a')) count(line);
  };
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all([
      fs.readFile('files/a').then(count, refused),
      fs.readRange('files/a', 0, 100).then((bytes) => count(Buffer.from(bytes).toString()), refused),
      lines().catch(refused),
      fs.writeFile('files/b', 'written').catch(refused),
      fs.appendFile(`files/new-${round % 7}`, 'x').catch(refused),
      fs.rm(`files/new-${round % 5}`, { force: true }).catch(refused),
      fs.mkdir(`files/made-${round}`).catch(refused),
    ]);
  }
  flipper.postMessage('stop');
  const [flips] = (await once(flipper, 'message')) as [number];
  const outside = join(root, 'outside');
  const changed = (await readFile(join(outside, 'b'), 'utf8')) !== SECRET;
  const left = (await readdir(outside)).filter((name) => name !== 'a' && name !== 'b');
  process.stdout.write(
    `${flips} flips, ${JSON.stringify(outcomes)}, outside changed: ${changed}, left there: ${left}\n`,
  );
  expect({ escaped: outcomes.escaped, changed, left }).toEqual({ escaped: 0, changed: false, left: [] });
  expect(Math.min(flips, outcomes.inside)).toBeGreaterThan(10);
}, 120_000);
