import type { HostClient, SessionHandle } from '@agenthost/client';
import type { SessionState, Turn } from '@agenthost/protocol';
import { withNewestTurns } from '@agenthost/protocol/internal';
import { expect } from 'vitest';
import { type RestartableHost, startRestartableHost } from '../support/restartableHost.js';
import { until } from '../support/until.js';
import { HostProbe, type Sample } from './hostProbe.js';
import { ENDING_PROMPTS, Worker } from './worker.js';

const CLIENTS = 50;
const SESSIONS = 20;
const PATIENCE_MS = 300_000;
/** How often the network fails, and for how many of those who use it. */
const DROPS = { everyMs: 1_000, probability: 0.03 };

export interface SoakOptions {
  /** Of each session, before anything is measured: what the host keeps of the newest turns and envelopes is full then. */
  readonly turns?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export interface SoakResult {
  readonly samples: readonly Sample[];
  readonly accepted: number;
  readonly refused: number;
  readonly drops: number;
  readonly turns: number;
  readonly compared: number;
}

/** Mixed work over a network that drops; then all clients must see the host's state, and everything accepted must be there once. */
export async function soak(minutes: number, { turns: before = 0, env = {} }: SoakOptions = {}): Promise<SoakResult> {
  const probe = new HostProbe();
  const { NODE_OPTIONS: altered = '' } = env;
  const options = { NODE_OPTIONS: `${probe.environment['NODE_OPTIONS']} ${altered}` };
  const host = await startRestartableHost([], options);
  let isOver = false;
  let drops = 0;
  try {
    const observer = await host.connect({ clientId: 'observer', url: host.process.url });
    const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => make(observer)));
    await Promise.all(sessions.map((session) => fill(session, before)));
    const workers = await connectWorkers(host, sessions);
    probe.start();
    const dropper = setInterval(() => {
      host.cut(DROPS.probability);
      drops++;
    }, DROPS.everyMs);
    const working = workers.map((worker) => worker.work(() => isOver));
    const end = new Promise<void>((resolve) => setTimeout(resolve, minutes * 60_000));
    await Promise.race([end, ...working]);
    clearInterval(dropper);
    isOver = true;
    await Promise.all(working);
    const { samples } = probe;
    await Promise.all(sessions.map(comeToRest));
    await Promise.all(workers.map(({ client }) => client.ping()));
    await observer.ping();
    const compared = compare(sessions, workers);
    const turns = await checkMessages(sessions, workers);
    const sum = (of: (worker: Worker) => number) => workers.reduce((total, worker) => total + of(worker), 0);
    return {
      samples,
      accepted: sum(({ counts }) => counts.accepted),
      refused: sum(({ counts }) => counts.refused),
      drops,
      turns,
      compared,
    };
  } finally {
    isOver = true;
    await probe.stop();
    await host.dispose();
  }
}

async function make(observer: HostClient): Promise<SessionHandle> {
  const session = await observer.createSession({ provider: 'mock' });
  await session.ready();
  return session;
}

async function fill(session: SessionHandle, turns: number): Promise<void> {
  for (let n = 0; n < turns; n++) {
    const id = await session.send(ENDING_PROMPTS[n % ENDING_PROMPTS.length] ?? '');
    await until(session.confirmed, ({ turns }) => turns.at(-1)?.id === id, 'a turn before it begins', PATIENCE_MS);
  }
}

async function connectWorkers(host: RestartableHost, sessions: readonly SessionHandle[]): Promise<Worker[]> {
  const uris = sessions.map(({ uri }) => uri);
  return Promise.all(
    Array.from({ length: CLIENTS }, async (_, n) => {
      const client = await host.connect({ clientId: `worker-${n}`, clientInfo: { name: `Worker ${n}` } });
      return new Worker(client, uris);
    }),
  );
}

/** Stops what would never end, and waits for the rest. */
async function comeToRest(session: SessionHandle): Promise<void> {
  const stopped = new Set<string>();
  const look = () => {
    const { activeTurn } = session.confirmed.value;
    if (activeTurn?.userMessage.text !== 'slow' || stopped.has(activeTurn.id)) return;
    stopped.add(activeTurn.id);
    session.cancel().catch(() => stopped.delete(activeTurn.id));
  };
  const watched = session.confirmed.subscribe(look);
  look();
  const isIdle = ({ activeTurn, queuedMessages, steeringMessage }: SessionState) =>
    !activeTurn && !queuedMessages && !steeringMessage;
  await until(session.confirmed, isIdle, `${session.uri} at rest`, PATIENCE_MS);
  watched.dispose();
}

/** Every handle of every client; their number. */
function compare(sessions: readonly SessionHandle[], workers: readonly Worker[]): number {
  let compared = 0;
  for (const { uri, confirmed } of sessions) {
    const expected = comparable(confirmed.value);
    for (const { client, handles } of workers) {
      const handle = handles.get(uri);
      if (!handle) continue;
      compared++;
      expect(handle.state.value, `${client.clientId}: nothing is pending`).toBe(handle.confirmed.value);
      const seen = comparable(handle.confirmed.value);
      const turns = Math.min(seen.turns.length, expected.turns.length);
      expect(withNewestTurns(seen, turns), `${client.clientId}: ${uri}`).toEqual(withNewestTurns(expected, turns));
    }
  }
  return compared;
}

/** Each that was accepted is a turn, or was said in one, exactly once. */
async function checkMessages(sessions: readonly SessionHandle[], workers: readonly Worker[]): Promise<number> {
  let count = 0;
  for (const session of sessions) {
    const turns: Turn[] = [...session.confirmed.value.turns];
    for await (const turn of session.history({ pageSize: 200 })) turns.push(turn);
    count += turns.length;
    const times = new Map<string, number>();
    for (const id of turns.flatMap(idsIn)) times.set(id, (times.get(id) ?? 0) + 1);
    const wrong = workers
      .flatMap(({ accepted }) => [...(accepted.get(session.uri) ?? [])])
      .filter((id) => times.get(id) !== 1);
    expect(wrong, `${session.uri}: accepted, but lost or doubled`).toEqual([]);
  }
  return count;
}

function idsIn({ id, responseParts }: Turn): string[] {
  return [id, ...responseParts.flatMap((part) => (part.kind === 'steering' ? [part.id] : []))];
}

function comparable({ clients: _, ...state }: SessionState): SessionState {
  return state as SessionState;
}
