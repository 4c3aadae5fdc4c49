import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CreateSessionFsHandler, HostClient, SessionHandle } from '@agenthost/client';
import { type HostOptions, JsonlEventLog, type SessionFs, type SessionStorage } from '@agenthost/host';
import { describe, expect, it } from 'vitest';
import { LocalSessionFs } from '../../packages/host/src/storage/fs/localSessionFs.js';
import { MemorySessionFs } from '../../packages/host/src/storage/fs/memorySessionFs.js';
import { memoryHandler } from '../support/storage/memoryProvider.js';
import { startTestHost, temporaryFolder } from '../support/testHost.js';
import { until } from '../support/until.js';
import { SteadyAgent } from './steadyAgent.js';

type Tree = Readonly<Record<string, string>>;
type Stamps = Required<Pick<HostOptions, 'now' | 'newId'>>;

interface Backend {
  readonly options?: (stamps: Stamps) => Partial<HostOptions>;
  readonly createSessionFsHandler?: CreateSessionFsHandler;
  /** The files of each session that is kept, when the host has ended. */
  sessions(stateDir: string): Promise<ReadonlyMap<string, SessionFs>>;
}

const STATE_PATH = '/state';

function local(): Backend {
  return {
    sessions: async (stateDir) => {
      const ids = await readdir(join(stateDir, 'session-state'));
      const opened = ids.map(
        async (sessionId) => [sessionId, await LocalSessionFs.open({ stateRoot: stateDir, sessionId })] as const,
      );
      return new Map(await Promise.all(opened));
    },
  };
}

/** Sessions in the memory of the host. */
function memory(): Backend {
  const files = new Map<string, MemorySessionFs>();
  const storage = ({ now, newId }: Stamps): SessionStorage => ({
    open: async (sessionId, { create = false, isDraft = false } = {}) => {
      const fs = files.get(sessionId) ?? (create ? new MemorySessionFs({ sessionId }) : undefined);
      if (!fs) return undefined;
      files.set(sessionId, fs);
      return { fs, log: await JsonlEventLog.open({ fs, isDraft, now, newId }) };
    },
    exists: async (sessionId) => files.has(sessionId),
    remove: async (sessionId) => void files.delete(sessionId),
    modifiedAt: async () => undefined,
    list: async function* () {
      yield* files.keys();
    },
  });
  return { options: (stamps) => ({ storage: storage(stamps) }), sessions: async () => files };
}

/** Sessions in the memory of a client. */
function provided(): Backend {
  const files = new Map<string, MemorySessionFs>();
  return {
    createSessionFsHandler: (session) => {
      const fs = new MemorySessionFs({ sessionStatePath: STATE_PATH });
      files.set(session.slice(session.indexOf('/') + 1), fs);
      return memoryHandler(fs);
    },
    sessions: async () => {
      for (const [id, fs] of files) if (!(await fs.exists(STATE_PATH))) files.delete(id);
      return files;
    },
  };
}

/** Plays one script, with its own clock and ids, and gives all that is left of it. */
async function play({ options, createSessionFsHandler, sessions }: Backend): Promise<Tree> {
  const stateDir = await temporaryFolder();
  let [time, count] = [Date.UTC(2030, 0, 1), 0];
  const stamps: Stamps = { now: () => time, newId: () => `id-${++count}` };
  const agent = new SteadyAgent();
  const host = await startTestHost({ stateDir, agents: [agent], ...stamps, ...options?.(stamps) });
  try {
    const client = await host.connect({
      clientId: 'the-client',
      clientInfo: { name: 'Ada' },
      ...(createSessionFsHandler && {
        sessionFs: { initialCwd: '/', sessionStatePath: STATE_PATH, conventions: 'posix' },
      }),
    });
    await script(client, createSessionFsHandler ? { createSessionFsHandler } : {}, agent, () => {
      time += 1_000;
    });
    await host.dispose();
    const tree: Record<string, string> = {};
    for (const [id, fs] of await sessions(stateDir)) {
      await read(fs, fs.sessionStatePath ?? '', id, tree);
      await fs.dispose();
    }
    return tree;
  } finally {
    await host.dispose();
    await rm(stateDir, { recursive: true, force: true });
  }
}

async function script(
  client: HostClient,
  files: { readonly createSessionFsHandler?: CreateSessionFsHandler },
  agent: SteadyAgent,
  tick: () => void,
): Promise<void> {
  const make = async (id: string) => {
    const options = { provider: 'steady', session: `steady:/${id}`, workingDirectory: pathToFileURL('/').href };
    const session = await client.createSession({ ...options, metadata: { made: 'by a test' }, ...files });
    // Being told who looks on takes a number: always the one before that of the start.
    await seen(session);
    agent.letOpen();
    await session.ready();
    return session;
  };
  const seen = (session: SessionHandle) =>
    until(session.confirmed, ({ clients }) => clients?.length === 1, 'who looks on');
  const turn = async (session: SessionHandle, text: string) => {
    tick();
    await session.send(text, `${text}-turn`);
    await until(session.confirmed, ({ turns }) => turns.some(({ id }) => id === `${text}-turn`), text);
  };
  const main = await make('main');
  for (const text of ['hello', 'print', 'plan']) await turn(main, text);
  // That there is a plan is told when it can be read, whenever that is.
  await until(main.confirmed, ({ summary }) => summary.metadata?.['artifacts'] !== undefined, 'the plan');
  await turn(main, 'usage');
  tick();
  await main.rename('A title: "ü" 🦊');
  await main.dispatch({
    type: 'session/pendingMessageSet',
    kind: 'queued',
    id: 'waiting',
    userMessage: { text: 'later' },
  });
  await until(main.confirmed, ({ turns }) => turns.some(({ id }) => id === 'waiting'), 'the queue');
  tick();
  const fork = await client.forkSession({ source: main.uri, session: 'steady:/fork', toTurnId: 'plan-turn', ...files });
  await seen(fork);
  // Its agent is a new one.
  const forked = turn(fork, 'onwards');
  await until(fork.confirmed, ({ activeTurn }) => activeTurn !== undefined, 'the turn of the fork');
  agent.letOpen();
  await forked;
  await main.archive();
  const gone = await make('gone');
  await turn(gone, 'print');
  await client.disposeSession(gone.uri);
}

/** Made behind the session's back from its log: when they are made is not told. */
const CACHES = new Set(['events.checkpoint.json', 'events.turns.jsonl']);

async function read(fs: SessionFs, folder: string, name: string, tree: Record<string, string>): Promise<void> {
  for (const entry of await fs.readdirWithTypes(folder)) {
    const [path, at] = [fs.join(folder, entry.name), `${name}/${entry.name}`];
    if (CACHES.has(entry.name)) continue;
    if (entry.type === 'directory') await read(fs, path, at, tree);
    else tree[at] = Buffer.from(await fs.readFileBytes(path)).toString('latin1');
  }
}

describe('one script, with fixed times and ids', () => {
  it('leaves the same files on the local disk, in memory and in the file system of a client, byte for byte', async () => {
    const onDisk = await play(local());
    const names = Object.keys(onDisk).sort();
    const outputs = names.filter((name) => name.includes('/files/'));
    expect(names.filter((name) => !outputs.includes(name))).toEqual(
      ['fork', 'main'].flatMap((id) => ['events.jsonl', 'plan.md', 'workspace.yaml'].map((file) => `${id}/${file}`)),
    );
    expect(outputs.map((name) => name.split('/')[0])).toEqual(['fork', 'fork', 'main', 'main']);
    expect(onDisk['main/events.jsonl']?.length).toBeGreaterThan(10_000);
    expect(await play(memory())).toEqual(onDisk);
    expect(await play(provided())).toEqual(onDisk);
  });

  it('leaves the same files twice', async () => expect(await play(local())).toEqual(await play(local())));
});
