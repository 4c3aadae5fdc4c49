// Opens a state root as a host does, says how that went, and stays until its standard input ends.
import { StateRoot } from '../../src/storage/stateRoot/stateRoot.js';

const [path = '', url = ''] = process.argv.slice(2);

try {
  const root = await StateRoot.open({ path, env: {}, url });
  console.log(JSON.stringify({ outcome: 'open', pid: process.pid }));
  process.stdin.on('end', () => void root.dispose());
  process.stdin.resume();
} catch (error) {
  const { code, message } = error as { code?: string; message?: string };
  console.log(JSON.stringify({ outcome: code, message }));
}
