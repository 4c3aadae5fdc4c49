// Gives out numbers as fast as it can, until it is killed.
import { writeSync } from 'node:fs';
import { SequenceFile } from '../../../src/storage/stateRoot/sequenceFile.js';

const sequence = await SequenceFile.open(process.argv[2] ?? '', { blockSize: 10 });
for (;;) {
  const numbers = Array.from({ length: 7 }, () => sequence.next());
  writeSync(1, `${numbers.join(' ')}\n`);
  await new Promise((resolve) => setImmediate(resolve));
}
