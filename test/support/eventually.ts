import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';

/** Looks at what tells nobody when it changes, such as a process or a file, until it is so. */
export async function eventually(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  timeoutMs = 15_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) expect.fail(`it never happened: ${what}`);
    await delay(10);
  }
}
