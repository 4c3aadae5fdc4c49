import { rm } from 'node:fs/promises';
import { afterEach } from 'vitest';
import { temporaryFolder } from './testHost.js';

/** What is undone after each test of a file, the newest first. */
export class Cleanups extends Array<() => Promise<unknown>> {
  /** A folder that is removed after the test. */
  async folder(): Promise<string> {
    const path = await temporaryFolder();
    this.push(() => rm(path, { recursive: true, force: true }));
    return path;
  }
}

/** To be called once at the top of a file. */
export function cleanupsOfTests(): Cleanups {
  const cleanups = new Cleanups();
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });
  return cleanups;
}
