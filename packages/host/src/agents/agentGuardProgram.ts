// Started by agentGuard.ts as a program. It waits for the end of its standard input, which is the end of the host.
import { endMarked } from './leftovers.js';

const [marker = ''] = process.argv.slice(2);
process.stdin.on('error', () => {}).resume();
process.stdin.once('close', () => {
  if (marker === '') return;
  void endMarked(marker).finally(() => process.exit(0));
});
