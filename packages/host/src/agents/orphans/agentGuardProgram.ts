// agentGuard.ts starts this as a program. It waits for the end of the host: of its own standard input, or of its parent, because
// the first can be missed (an input that ended before it was read) and the second comes late. With a lease it also waits for the
// host to fall silent, and goes on after it.
import { endMarked } from './orphanAgents.js';

const [marker = '', lease] = process.argv.slice(2);
const leaseMs = lease === undefined ? Number.POSITIVE_INFINITY : Number(lease);
const WHOLE_LEASE = 255;
const WATCH_MS = 1_000;
const parent = process.ppid;
let isEnding = false;
/** When the agents end unless another byte comes. */
let silentAt = performance.now() + leaseMs;
let lastWatch = performance.now();

function end(): void {
  if (isEnding) return;
  isEnding = true;
  const ended = marker === '' ? Promise.resolve() : endMarked(marker);
  // Node's own exit was seen to hang here, waiting for one of its threads; nothing needs a clean exit.
  void ended.finally(() => process.kill(process.pid, 'SIGKILL'));
}

/** The host is stopped or hangs. If it goes on, it may start agents again. */
function endAgents(): void {
  silentAt = performance.now() + leaseMs;
  if (!isEnding && marker !== '') endMarked(marker).catch(() => {});
}

function watch(): void {
  if (process.ppid !== parent) end();
  const now = performance.now();
  const hasSlept = now - lastWatch >= leaseMs;
  lastWatch = now;
  // What waits in the input was sent before this process was stopped too.
  if (hasSlept) endAgents();
  // After the input was read: a busy machine must not look like a silent host.
  else if (now >= silentAt) setImmediate(() => performance.now() >= silentAt && endAgents());
}

process.stdin
  .on('error', end)
  .on('end', end)
  .on('close', end)
  .on('data', (bytes: Uint8Array) => {
    const left = bytes.at(-1) ?? 0;
    if (lease !== undefined) silentAt = performance.now() + (left / WHOLE_LEASE) * leaseMs;
  });
setInterval(watch, Math.min(WATCH_MS, leaseMs / 4));
