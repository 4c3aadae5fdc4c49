// Loaded into the host by `--import`. Writes down how long its thread has worked without coming back to the event loop, each
// time that this was long: one line each. Time in which other processes had the processors does not count.
import { appendFileSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const EVERY_MS = 2;
const LEAST_MS = 10;
const path = process.env.AGENTHOST_STALLS;

if (path && isMainThread) {
  let last = workedMs();
  setInterval(() => {
    const worked = workedMs() - last;
    if (worked > LEAST_MS) appendFileSync(path, `${worked}\n`);
    last = workedMs();
  }, EVERY_MS).unref();
}

function workedMs() {
  return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / 1e6;
}
