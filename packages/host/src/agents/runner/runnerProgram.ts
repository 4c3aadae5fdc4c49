// agentRunner.ts starts this as a program, in its own session. It runs the programs of agents and keeps what they print, so that they
// go on when the host is killed or replaced. It knows processes and bytes, nothing of agents.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endMarked } from '../orphans/orphanAgents.js';
import { ENDED_FILE, RECORD_FILE, RUNNER_MARK, RUNNER_VERSION, type RunnerRecord } from './runnerProtocol.js';
import { RunnerServer } from './runnerServer.js';

/** A longer path can't be the address of a socket. */
const MAX_SOCKET_PATH = 100;
const GUARD = join(import.meta.dirname, '../orphans/agentGuardProgram.js');

process.umask(0o077);
const [folder = '', mark = '', instance = '', lease = ''] = process.argv.slice(2);
const secret = randomBytes(32).toString('hex');
const inFolder = join(folder, 'socket');
/** Private, as `mkdtemp` makes it. */
const ownFolder =
  Buffer.byteLength(inFolder) > MAX_SOCKET_PATH ? mkdtempSync(join(tmpdir(), 'agenthost-runner-')) : undefined;
const socket = ownFolder === undefined ? inFolder : join(ownFolder, 'socket');
let isEnding = false;

const server = new RunnerServer({
  folder,
  secret,
  instance,
  mark,
  leaseMs: Number(lease),
  onEnd: (why) => void end(why),
});

/** Its programs end with it, by whatever it ends: the guard waits for the end of its input, which is that of the runner. */
function startGuard(): void {
  const guard = spawn(process.execPath, [GUARD, `${RUNNER_MARK}=${mark}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
    detached: true,
  });
  guard.stdin.on('error', () => {});
  guard.on('error', () => void end('stop'));
  guard.on('exit', () => isEnding || startGuard());
}

async function end(why: 'lease' | 'stop'): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  if (why === 'lease') {
    const ids = server.programs.filter(({ state }) => state !== 'ended').map(({ id }) => id);
    writePrivate(join(folder, ENDED_FILE), JSON.stringify({ why, at: Date.now(), ids }));
  }
  await endMarked(`${RUNNER_MARK}=${mark}`).catch(() => {});
  server.close();
  for (const path of [join(folder, RECORD_FILE), socket, ...(ownFolder === undefined ? [] : [ownFolder])])
    rmSync(path, { recursive: true, force: true });
  // Not the normal exit, which was seen to hang; the guard sees the end.
  process.kill(process.pid, 'SIGKILL');
}

function writePrivate(path: string, text: string): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, path);
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void end('stop'));
// One program that can't be written to, say, must not end all others.
process.on('uncaughtException', () => {});

startGuard();
mkdirSync(folder, { recursive: true, mode: 0o700 });
rmSync(join(folder, 'programs'), { recursive: true, force: true });
rmSync(socket, { force: true });
await server.listen(socket);
chmodSync(socket, 0o600);
const record: RunnerRecord = { version: RUNNER_VERSION, pid: process.pid, instance, socket, secret };
writePrivate(join(folder, RECORD_FILE), JSON.stringify(record));
process.stdout.on('error', () => {});
process.stdout.write('ready\n');
