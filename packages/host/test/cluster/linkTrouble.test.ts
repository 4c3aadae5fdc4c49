import { describe, expect, it } from 'vitest';
import { cleanupsOfTests } from '../../../../test/support/cleanups.js';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { runCli } from '../../../../test/support/testHost.js';
import { hostProcesses } from './support/hostProcesses.js';

const postgres = postgresOfFile();
const cleanups = cleanupsOfTests();
const processes = hostProcesses(cleanups);

const SOON = { timeout: 20_000 };
const lines = (errors: string, text: string) => errors.split('\n').filter((line) => line.includes(text)).length;

describe('an operator is told of the address of a host', () => {
  it('that another one has as well, by both of them and by doctor', async () => {
    const database = await postgres.server.newDatabase();
    const first = await processes.start(database);
    const second = await processes.start(database, '--link-url', first.url.origin);
    const same = 'has the same address as this one';
    for (const host of [first, second]) await expect.poll(() => lines(host.errors(), same), SOON).toBe(1);
    const stateDir = await cleanups.folder();
    const doctor = await runCli(['doctor', '--state-dir', stateDir, '--database', database]);
    expect(doctor.stdout).toContain(`× database: Several hosts say that they are reached at ${first.url.origin}/.`);
  });

  it('that the others can not reach, once', async () => {
    const database = await postgres.server.newDatabase();
    const first = await processes.start(database);
    await processes.start(database, '--link-url', 'http://no-such-host.invalid:1/');
    const unreached = "can't be reached at http://no-such-host.invalid:1/ (";
    await expect.poll(() => lines(first.errors(), unreached), SOON).toBe(1);
    // Some looks later it has not been said again.
    const third = await processes.start(database);
    await expect.poll(() => lines(third.errors(), unreached), SOON).toBe(1);
    expect(lines(first.errors(), unreached)).toBe(1);
  });
});
