import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isoTime } from '../../packages/ahp/src/translate/turns.js';
import { SqliteSessionIndex } from '../../packages/host/src/sessionIndex/sqliteSessionIndex.js';
import { runCli, spawnHost, temporaryFolder } from '../support/testHost.js';
import { seen, usePages } from './pageWorld.js';

const pages = usePages();

/** What an older host may have taken: times that no date can hold. */
async function badStateRoot(): Promise<string> {
  const stateDir = await temporaryFolder();
  // Before the index: one that is older than the folder of the sessions is looked through at the start.
  await mkdir(join(stateDir, 'session-state'));
  const index = new SqliteSessionIndex(join(stateDir, 'index.sqlite'));
  const times = { bad: 9e15, worse: -9e15, good: 1_700_000_000_000 };
  for (const [title, time] of Object.entries(times)) {
    index.put({
      resource: `mock:/${title}`,
      provider: 'mock',
      title: `a ${title} session`,
      createdAt: time,
      modifiedAt: time,
      status: 'idle',
      isRead: true,
      isArchived: false,
    });
  }
  index.markFilled();
  index.close();
  return stateDir;
}

describe('a session with an invalid time', () => {
  it('is listed on the page beside the others', async () => {
    const host = await pages.host({ stateDir: await badStateRoot() });
    const page = await pages.visit(host);
    for (const title of ['bad', 'worse', 'good']) await seen(page.getByText(`a ${title} session`).first());
  });

  it('is listed by the command and for AHP clients too', async () => {
    const stateDir = await badStateRoot();
    const host = await spawnHost(stateDir);
    pages.cleanups.push(() => host.kill('SIGKILL'));
    for (const flags of [[], ['--json']]) {
      const { code, stdout } = await runCli(['ls', '--state-dir', stateDir, ...flags]);
      expect([flags, code, stdout.match(/a (?:bad|worse|good) session/g)?.length]).toEqual([flags, 0, 3]);
    }
    expect([isoTime(9e15), isoTime(Number.NaN)]).toEqual(['+275760-09-13T00:00:00.000Z', '1970-01-01T00:00:00.000Z']);
  });
});
