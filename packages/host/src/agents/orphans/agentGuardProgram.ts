// agentGuard.ts starts this as a program. It waits for the end of the host: of its own standard input, or of its parent, because
// the first can be missed (an input that ended before it was read) and the second comes late.
import { endMarked } from './orphanAgents.js';

const [marker = ''] = process.argv.slice(2);
const WATCH_MS = 1_000;
const parent = process.ppid;
let isEnding = false;

function end(): void {
  if (isEnding) return;
  isEnding = true;
  const ended = marker === '' ? Promise.resolve() : endMarked(marker);
  // Node's own exit was seen to hang here, waiting for one of its threads; nothing needs a clean exit.
  void ended.finally(() => process.kill(process.pid, 'SIGKILL'));
}

process.stdin.on('error', end).on('end', end).on('close', end).resume();
setInterval(() => process.ppid !== parent && end(), WATCH_MS);
