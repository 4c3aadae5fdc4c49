// Lets the host of an earlier commit write a state root, and puts it beside the others: see README.md here.
// node test/upgrade/writeUpgradeCorpus.ts <commit> <folder of a built checkout of it>
import { ok } from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { connect, type HostClient, type SessionHandle } from '@agenthost/client';
import { ROLES } from '@agenthost/protocol';
import { until } from '../support/until.ts';
import { type KeptDevice, readTree, writeCorpus } from './corpusFile.ts';
import { keptSession, orLacking } from './keptSession.ts';

const TIMEOUT_MS = 60_000;
/** Every system of the kind that runs the tests has it, and it says nothing about the machine. */
const workingDirectory = 'file:///tmp';
/** Of this run or of no further use: the owner's token, locks, where temporary files were. */
const LEFT_OUT = /^(token|host\.lock.*|temp.*|index\.sqlite-shm)$/;

const [commit = '', checkout = ''] = process.argv.slice(2);
ok(commit && checkout, 'usage: writeUpgradeCorpus.ts <commit> <folder of a built checkout of it>');
// Logs name the files of their checkpoints by their whole path, which must not be one of this machine's.
const root = '/tmp/agenthost-corpus';
const cli = join(checkout, 'apps/cli/dist/main.js');
const env = { PATH: '/usr/bin:/bin', HOME: root, LANG: 'C.UTF-8' };
await mkdir(root, { mode: 0o700 });
const lacks = new Set<string>();
const uris: string[] = [];
try {
  const devices = await addDevices();
  await onHost('SIGTERM', async (host, url) => {
    for (const device of devices) await visit(url, device);
    await converse(host);
    await runCommands(host);
    await haveManyTurns(host);
  });

  // What follows is cut short, as by a power failure.
  const sessions = await onHost('SIGKILL', async (host) => {
    await leaveUnfinished(host);
    return Promise.all(uris.map((uri) => keptSession(host, uri, lacks)));
  });
  const files = Object.entries(await readTree(root)).filter(([path]) => !LEFT_OUT.test(path));
  // The index has nothing that the logs have not, and by chance every short word.
  for (const [path, content] of files.filter(([path]) => !path.startsWith('index'))) {
    for (const secret of [hostname(), resolve(checkout), userInfo().homedir]) {
      ok(!content.includes(secret), `${path} holds ${secret}, which is of this machine`);
    }
  }
  const bytes = await writeCorpus({
    commit,
    lacks: [...lacks],
    files: Object.fromEntries(files),
    sessions,
    ...(devices.length > 0 && { devices }),
  });
  console.log(`${commit}: ${sessions.length} sessions, ${files.length} files, ${bytes} bytes; lacks ${[...lacks]}`);
} finally {
  await rm(root, { recursive: true, force: true });
}

/** Everything that a turn can have. */
async function converse(host: HostClient): Promise<void> {
  const session = await create(host, 'mock');
  for (const prompt of ['hello', 'reasoning', 'use-tool', 'usage', 'error', 'title A conversation', 'plan']) {
    await turn(session, prompt);
  }
  for (const prompt of ['checkpoint The first half', 'artifact notes.txt', 'research sources.md', 'big-output 40000']) {
    await turn(session, prompt);
  }
  await turn(session, 'confirm-tool', async () => {
    const [asked] = await until(session.pendingConfirmations, ({ length }) => length > 0, 'a question', TIMEOUT_MS);
    await asked?.approve();
  });
  await turn(session, 'question', async () => {
    const [asked] = await until(session.pendingPermissions, ({ length }) => length > 0, 'a question', TIMEOUT_MS);
    await asked?.answer({ approved: true, optionId: 'blue' });
  });
  await turn(session, 'steer', async () => {
    await hasText(session);
    await session.steer('to the left');
  });
  await turn(session, 'slow', () => session.cancel());
  const half = session.confirmed.value.turns[4]?.id ?? '';
  const fork = await orLacking(lacks, 'fork', () => host.forkSession({ source: session.uri, toTurnId: half }));
  if (fork) {
    uris.push(fork.uri);
    await fork.ready();
    await turn(fork, 'hello again');
  }
}

async function runCommands(host: HostClient): Promise<void> {
  const session = await create(host, 'shell');
  for (const command of ['echo hello', 'yes agenthost | head -n 4000', 'exit 3']) {
    await turn(session, command, async () => {
      const [asked] = await until(session.pendingConfirmations, ({ length }) => length > 0, 'a question', TIMEOUT_MS);
      await asked?.approve();
    });
  }
  await session.rename('Commands');
  await session.archive();
}

/** Enough for a checkpoint of the log, and for a page of the index of its turns. */
async function haveManyTurns(host: HostClient): Promise<void> {
  const session = await create(host, 'mock');
  for (let n = 1; n <= 34; n++) await turn(session, `${n}: ${'the same again and again '.repeat(40)}`);
  await turn(session, {
    text: 'attachments',
    attachments: [{ kind: 'text', label: 'large', data: 'x'.repeat(30_000) }],
  });
}

/** One for each role; none where the command had no roles yet. */
async function addDevices(): Promise<KeptDevice[]> {
  const devices: KeptDevice[] = [];
  for (const role of ROLES) {
    const flags = ['--name', `The ${role}'s phone`, '--role', role, '--state-dir', root, '--json'];
    const added = await promisify(execFile)(process.execPath, [cli, 'token', 'add', ...flags], { env }).catch(() => {});
    if (added) devices.push(JSON.parse(added.stdout) as KeptDevice);
    else lacks.add('devices');
  }
  return devices;
}

/** So that it is noted when the token was used, and a turn says which device it is from. */
async function visit(url: string, { token, role }: KeptDevice): Promise<void> {
  const host = await connect({ url, token, clientInfo: { name: 'Corpus' } });
  if (role === 'driver') {
    const session = await create(host, 'mock');
    await turn(session, 'hello');
    session.close();
  }
  host.close();
}

async function leaveUnfinished(host: HostClient): Promise<void> {
  const busy = await create(host, 'mock');
  await turn(busy, 'hello');
  await busy.send('slow');
  await busy.queue('first in the queue');
  await busy.queue('second in the queue');
  await hasText(busy);
  const asking = await create(host, 'mock');
  await asking.send('permission');
  await until(asking.pendingPermissions, ({ length }) => length > 0, 'a question', TIMEOUT_MS);
}

async function hasText({ confirmed }: SessionHandle): Promise<void> {
  await until(confirmed, ({ activeTurn }) => (activeTurn?.responseParts.length ?? 0) > 0, 'text', TIMEOUT_MS);
}

async function create(host: HostClient, provider: string): Promise<SessionHandle> {
  const session = await host.createSession({ provider, workingDirectory });
  uris.push(session.uri);
  await session.ready();
  return session;
}

async function turn(
  session: SessionHandle,
  message: Parameters<SessionHandle['send']>[0],
  meanwhile: () => Promise<void> = async () => {},
): Promise<void> {
  const id = await session.send(message);
  await meanwhile();
  await until(session.confirmed, ({ turns }) => turns.some((ended) => ended.id === id), 'its end', TIMEOUT_MS);
}

async function onHost<T>(end: NodeJS.Signals, work: (host: HostClient, url: string) => Promise<T>): Promise<T> {
  const flags = ['serve', '--json', '--port', '0', '--enable-mock-agent', '--state-dir', root];
  const child: ChildProcess = spawn(process.execPath, [cli, ...flags], {
    cwd: '/tmp',
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  ok(child.stdout);
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { url, link } = JSON.parse(line) as { url: string; link: string };
  const host = await connect({
    url,
    token: new URL(link).hash.slice('#token='.length),
    clientInfo: { name: 'Corpus' },
  });
  try {
    return await work(host, url);
  } finally {
    if (end !== 'SIGKILL') host.close();
    child.kill(end);
    await exited;
    host.close();
  }
}
