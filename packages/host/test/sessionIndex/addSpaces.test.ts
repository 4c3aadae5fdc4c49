import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { cleanupsOfTests } from '../../../../test/support/cleanups.js';
import { INDEX_FILE_SUFFIX } from '../../src/sessionIndex/indexFile.js';
import { VERSION_WITHOUT_SPACES } from '../../src/sessionIndex/indexSchema.js';
import { PageSums } from '../../src/sessionIndex/pageSums.js';
import { SqliteSessionIndex } from '../../src/sessionIndex/sqliteSessionIndex.js';
import { summary } from './indexSamples.js';

const cleanups = cleanupsOfTests();

/** What was different in the version before. */
const TAKE_SPACES_AWAY = `
  DROP TRIGGER sessionAdded; DROP TRIGGER kindChanged; DROP TRIGGER sessionRemoved;
  DROP INDEX byTime; DROP TABLE kinds; ALTER TABLE sessions DROP COLUMN space;
  CREATE INDEX byTime ON sessions (modifiedAt DESC, resource DESC, provider, status, isRead, isArchived, workspace);
  CREATE TABLE kinds (provider TEXT NOT NULL, n INTEGER NOT NULL) STRICT;
  CREATE TRIGGER sessionAdded AFTER INSERT ON sessions BEGIN SELECT 1; END;
  CREATE TRIGGER kindChanged AFTER UPDATE ON sessions BEGIN SELECT 1; END;
  CREATE TRIGGER sessionRemoved AFTER DELETE ON sessions BEGIN SELECT 1; END;
  PRAGMA user_version = ${VERSION_WITHOUT_SPACES};`;

it('[SPACE4] an index without spaces gets them in place: what it has is in default, and counted there', async () => {
  const path = join(await cleanups.folder(), 'index.sqlite');
  const before = new SqliteSessionIndex(path);
  for (let n = 0; n < 20; n++) before.put(summary(`s${n}`, { title: `word${n}`, isArchived: n % 2 === 0 }));
  before.markFilled();
  before.close();
  const database = new DatabaseSync(path);
  database.exec(TAKE_SPACES_AWAY);
  database.close();
  const sums = PageSums.read(`${path}${INDEX_FILE_SUFFIX.sums}`);
  const index = new SqliteSessionIndex(path, sums && { sums });
  const totals = (space?: string) => [
    index.list({}, space).total,
    index.list({ filter: { isArchived: true } }, space).total,
    index.list({ filter: { modifiedSince: 0 } }, space).total,
    index.list({ filter: { text: 'word' } }, space).total,
  ];
  expect([totals(), totals('design')]).toEqual([
    [20, 10, 20, 20],
    [0, 0, 0, 0],
  ]);
  // Its triggers count from then on.
  index.put(summary('s0', { title: 'word', isArchived: true }), 'design');
  index.put(summary('new', { title: 'word', isArchived: false }), 'design');
  index.remove('mock:/s2');
  expect([totals(), totals('design')]).toEqual([
    [18, 8, 18, 18],
    [2, 1, 2, 2],
  ]);
  index.close();
});
