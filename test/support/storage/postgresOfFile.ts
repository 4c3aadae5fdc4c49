import { afterAll, beforeAll } from 'vitest';
import { TestPostgres } from './postgres.js';

/** A PostgreSQL for all tests of a file. To be called once at its top. */
export function postgresOfFile(): { readonly server: TestPostgres } {
  let started: TestPostgres | undefined;
  beforeAll(async () => {
    started = await TestPostgres.start();
  });
  afterAll(() => started?.dispose());
  return {
    get server() {
      if (!started) throw new Error('it starts before the first test');
      return started;
    },
  };
}
