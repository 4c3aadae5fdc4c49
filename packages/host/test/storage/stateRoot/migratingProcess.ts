// Opens a state root with a migration that prints each file it changes, and continues with each line of standard input.
import { createInterface } from 'node:readline';
import { StateRoot } from '../../../src/storage/stateRoot/stateRoot.js';
import { shoutingStep } from './shoutingStep.js';

const [path = ''] = process.argv.slice(2);
const lines = createInterface(process.stdin)[Symbol.asyncIterator]();
const step = shoutingStep(async (name) => {
  console.log(name);
  await lines.next();
});
const root = await StateRoot.open({ path, env: {}, migrations: [step] });
console.log('open');
await root.dispose();
process.exit();
