import { describe, it } from 'vitest';
import { mapSessionFs } from '../../examples/parts/mapSessionFs.js';
import { providedContract } from '../support/storage/providedSessionFs.js';

describe('the example of sessions in a Map passes the SessionFs contract', () => {
  for (const { name, run: check } of providedContract(() => mapSessionFs(new Map()))) it(name, check);
});
