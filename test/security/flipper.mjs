// Swaps a folder for a link that leads elsewhere, and back, as fast as it can: what an agent with a race in mind would do.
import { existsSync, renameSync, symlinkSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

const { folder, outside } = workerData;
const [real, link] = [`${folder}.real`, `${folder}.link`];
if (!existsSync(link)) symlinkSync(outside, link);
let flips = 0;
let isStopped = false;
parentPort.on('message', () => {
  isStopped = true;
});
const step = () => {
  for (let n = 0; n < 50; n++) {
    renameSync(folder, real);
    renameSync(link, folder);
    renameSync(folder, link);
    renameSync(real, folder);
    flips++;
  }
  if (isStopped) parentPort.postMessage(flips);
  else setImmediate(step);
};
parentPort.postMessage('started');
step();
