// Runs Copilot's runtime in its own process group, which the SDK can't, and ends the whole group when the runtime or the host
// ends in any way. copilotProcess.ts starts this as a program: it may import only Node's modules.
import { spawn } from 'node:child_process';

const [command = '', ...args] = process.argv.slice(2);
const MAX_STDERR = 4_096;
const WATCH_MS = 250;

const child = spawn(command, args, { detached: true, stdio: ['inherit', 'inherit', 'pipe'] });
let lastWords = '';
child.stderr.on('data', (chunk: Buffer) => {
  lastWords = (lastWords + chunk.toString()).slice(-MAX_STDERR);
});

const endGroup = (): void => {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // No process is left.
  }
};
process.on('SIGTERM', endGroup);
// A terminal sends these signals to the host's whole group; the host ends its agents itself.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
const parent = process.ppid;
setInterval(() => process.ppid !== parent && endGroup(), WATCH_MS).unref();

child.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
child.on('exit', (code) => {
  endGroup();
  if (code !== 0) process.stderr.write(lastWords);
  process.exitCode = code ?? 1;
});
