// Takes one lock after the other, each at the moment it is told, and keeps them until its standard input ends.
import { HostLock } from '../../../src/storage/stateRoot/hostLock.js';

const [folder = '', rounds = '1', startAt = '0', everyMs = '0'] = process.argv.slice(2);

for (let round = 0; round < Number(rounds); round++) {
  // Spinning, not sleeping: the point is that all of them come in the same moment.
  while (Date.now() < Number(startAt) + round * Number(everyMs));
  const outcome = await HostLock.take(`${folder}/lock-${round}`).then(
    () => 'taken',
    (error: { code?: string; message?: string }) => error.code ?? `failed: ${error.message}`,
  );
  console.log(JSON.stringify({ round, outcome, pid: process.pid }));
}
process.stdin.resume();
