// Appends to a session's log, and tells of each record once it is stored, until it is killed.
import { writeSync } from 'node:fs';
import { LocalSessionFs } from '../../../src/storage/fs/localSessionFs.js';
import { JsonlEventLog } from '../../../src/storage/log/jsonlEventLog.js';
import { delta, title, tokensOf } from './logSamples.js';

const [stateRoot = ''] = process.argv.slice(2);
const fs = await LocalSessionFs.open({ stateRoot, sessionId: 'killed', tmpRoot: stateRoot });
const log = await JsonlEventLog.open({ fs, debounceMs: 0 });
const { records } = await log.loadAll();
let token = Math.max(0, ...tokensOf(records).map((text) => Number(text.slice(1, -1))));

for (;;) {
  const told: number[] = [];
  for (let index = 0; index < 5; index++) {
    log.append(delta(`${'x'.repeat(500)}<${++token}>`, token));
    log.append(title(`<${++token}>`, token));
    told.push(token);
  }
  await log.flush();
  writeSync(1, `${told.join(' ')}.\n`);
}
