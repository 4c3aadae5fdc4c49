import { randomUUID } from 'node:crypto';
import type { Database } from './database.js';

const NAME = 'clusterId';

/** What all hosts on one database have in common. The first host makes it. */
export async function readClusterId(database: Database): Promise<string> {
  await database.settle('insert into secret (name, value) values ($1, $2) on conflict do nothing', [
    NAME,
    randomUUID(),
  ]);
  const [row] = await database.settle<{ value: string }>('select value from secret where name = $1', [NAME]);
  return row?.value ?? '';
}
