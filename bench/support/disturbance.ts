// Those who might disturb others: clients that do not read while a lot is said, or agents that are killed in the middle of a turn.
// Each first does everything else alike without that.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, type HostClient, type SessionHandle } from '@agenthost/client';
import { until } from '../../test/support/until.ts';
import { RequestClient, type ServerAddress } from './requestClient.ts';

export type DisturbanceTask = ServerAddress &
  (
    | { readonly kind: 'slowReaders'; readonly readers: number; readonly turns: number }
    | { readonly kind: 'deadAgents'; readonly agents: number; readonly program: string }
  );

/** Runs twice, without and then with the disturbance, which is prepared before anything is measured. */
interface Disturbance {
  prepare(disturbs: boolean): Promise<void>;
  run(disturbs: boolean): Promise<void>;
}

/** About 100 kB, so that what is said counts and not how large a turn is. */
const TURN = 'stream 5000';
/** Between two deaths. */
const PAUSE_MS = 50;
const PATIENCE_MS = 120_000;

process.on('disconnect', () => process.exit());
process.once('message', (task) => void run(task as DisturbanceTask));

async function run(task: DisturbanceTask): Promise<void> {
  const client = await connect({ url: new URL('/', task.url), token: task.token });
  const disturbance = task.kind === 'slowReaders' ? slowReaders(client, task) : await deadAgents(client, task);
  for (const disturbs of [false, true]) {
    await disturbance.prepare(disturbs);
    const go = new Promise((resolve) => process.once('message', resolve));
    process.send?.({ event: 'prepared' });
    await go;
    await disturbance.run(disturbs);
    process.send?.({ event: 'done' });
  }
}

type TaskOf<K> = Extract<DisturbanceTask, { readonly kind: K }>;

/** A session in which a lot is said, and one client that reads it; then others join who do not. */
function slowReaders(client: HostClient, { readers, turns, ...address }: TaskOf<'slowReaders'>): Disturbance {
  let session: SessionHandle;
  return {
    prepare: async (disturbs) => {
      // A new one each time: how long a session is must not count.
      session = await open(client, 'mock');
      for (let n = 0; disturbs && n < readers; n++) {
        const reader = await RequestClient.open(address);
        await reader.request('subscribe', { resource: session.uri });
        reader.pause();
      }
      const there = disturbs ? readers + 1 : 1;
      await until(session.confirmed, ({ clients }) => clients?.length === there, 'all who look on', PATIENCE_MS);
    },
    run: async () => {
      for (let turn = 0; turn < turns; turn++) await turnOf(session, TURN);
      const left = (session.confirmed.value.clients?.length ?? 0) - 1;
      if (left > 0) throw new Error(`${left} of ${readers} slow readers were not cut off: too little was said`);
    },
  };
}

/**
 * Agents in the middle of their turns, killed one after the other; before that as many processes of the same size that are
 * unrelated processes: a system needs milliseconds for the end of any process.
 */
async function deadAgents(client: HostClient, { agents, program }: TaskOf<'deadAgents'>): Promise<Disturbance> {
  const start = async () => {
    const session = await open(client, 'stub');
    const part = (await turnOf(session, 'pid')).responseParts[0];
    const pid = Number(part?.kind === 'markdown' ? part.content : Number.NaN);
    if (!(pid > 1)) throw new Error('an agent did not say which process it is');
    await session.send('silent');
    return { session, pid };
  };
  const running = await Promise.all(Array.from({ length: agents }, start));
  const others = await Promise.all(Array.from({ length: agents }, () => startOther(program)));
  return {
    prepare: async () => {},
    run: async (disturbs) => {
      for (const { pid } of disturbs ? running : others) {
        process.kill(pid, 'SIGKILL');
        await delay(PAUSE_MS);
      }
      if (disturbs) for (const { session } of running) await endOf(session, 'error');
    },
  };
}

async function startOther(program: string): Promise<{ readonly pid: number }> {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'ignore'] });
  const request = {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: 1, clientCapabilities: {} },
  };
  child.stdin.write(`${JSON.stringify(request)}\n`);
  await once(child.stdout, 'data');
  return { pid: child.pid ?? 0 };
}

async function open(client: HostClient, provider: string): Promise<SessionHandle> {
  const session = await client.createSession({ provider });
  await session.ready();
  return session;
}

async function turnOf(session: SessionHandle, text: string) {
  await session.send(text);
  return endOf(session, 'complete');
}

async function endOf({ confirmed }: SessionHandle, expected: string) {
  const { turns } = await until(confirmed, ({ activeTurn }) => !activeTurn, 'the end of the turn', PATIENCE_MS);
  const last = turns.at(-1);
  if (last?.state !== expected) throw new Error(`a turn ended as ${last?.state}, not as ${expected}`);
  return last;
}
