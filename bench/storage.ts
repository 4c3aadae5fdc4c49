// Lists, searches, opening and the rebuild of the index, with very many sessions, through a real host and a real socket. Each
// stands beside a baseline that was measured in the same run; the ratio is the result, because machines are noisy.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ListSessionsResult, Snapshot } from '@agenthost/protocol';
import { childMessage } from './support/childMessage.ts';
import { hundredths, median, spread } from './support/figures.ts';
import { RequestClient, type ServerAddress } from './support/requestClient.ts';
import {
  FREQUENT_WORDS,
  RARE_WORDS,
  sessionId,
  writeFolders,
  writeIndex,
  writeLongSession,
} from './support/writeSessions.ts';

const { values } = parseArgs({ options: { quick: { type: 'boolean' }, json: { type: 'boolean' } } });
const MANY = values.quick ? 5_000 : 100_000;
const FEW = values.quick ? 500 : 1_000;
const LONG = values.quick ? 5_000 : 100_000;
const SHORT = 100;
const REBUILT = values.quick ? 500 : 10_000;
const ROUNDS = values.quick ? 3 : 7;
/** Of each kind in one round; twelve searches, so that none of them is remembered from the round before. */
const REQUESTS = FREQUENT_WORDS.length;
const MINUTE = 60_000;

interface Server {
  readonly child: ChildProcess;
  readonly address: ServerAddress;
  readonly startMs: number;
}

interface Row {
  readonly measure: string;
  readonly ms: number;
  readonly 'spread %': number;
  readonly baseline: string;
  readonly 'baseline ms': number;
  readonly ratio: number;
}

const here = import.meta.dirname;
const folder = mkdtempSync(join(tmpdir(), 'agenthost-bench-'));
const running = new Set<ChildProcess>();
const rows: Row[] = [];
try {
  await lists();
  await openings();
  await rebuild();
  await starts();
} finally {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
if (values.json) console.log(JSON.stringify(rows));
else console.table(rows);

async function lists(): Promise<void> {
  const generated = performance.now();
  const [many, few] = [join(folder, 'many'), join(folder, 'few')];
  writeIndex(many, MANY);
  writeIndex(few, FEW);
  note(`an index of ${MANY} sessions was written in ${seconds(performance.now() - generated)} s`);
  const servers = [await startHost(many), await startHost(few), await startServer('rawSqliteServer.ts', [])] as const;
  const [ofMany, ofFew, raw] = await Promise.all(servers.map(({ address }) => RequestClient.open(address)));
  if (!ofMany || !ofFew || !raw) throw new Error('a client is missing');
  const newest = { limit: 50 };
  const search = (text: string) => ({ limit: 50, filter: { text } });
  const kinds = {
    raw: (n: number) => timed(raw, { n }, undefined),
    'newest 50': () => timed(ofMany, newest, MANY),
    'newest 50, not archived': () => timed(ofMany, { ...newest, filter: { isArchived: false } }, MANY - MANY / 10),
    few: () => timed(ofFew, newest, FEW),
    'search, a word that all have': (n: number) => timed(ofMany, search(`"${FREQUENT_WORDS[n]}"`), MANY),
    'search, the beginning of one': (n: number) => timed(ofMany, search(FREQUENT_WORDS[n] ?? ''), MANY),
    'search, two that all have': (n: number) => timed(ofMany, search(pairOfWords(n)), MANY),
    'search, the same again': () => timed(ofMany, search('frequent'), MANY),
    'search, a rare word': (n: number) => timed(ofMany, search(`"${RARE_WORDS[n]}"`), Math.ceil(MANY / 1_000)),
    'search, no hit': (n: number) => timed(ofMany, search(`nowhere${n}`), 0),
  };
  const times = await rounds(kinds);
  for (const [kind, ms] of Object.entries(times)) {
    if (kind === 'raw' || kind === 'few') continue;
    add(`${kind} of ${MANY}`, ms, '50 rows of raw SQLite over ws', times.raw);
  }
  add(`newest 50 of ${MANY}`, times['newest 50'], `newest 50 of ${FEW}`, times.few);
  for (const client of [ofMany, ofFew, raw]) client.close();
  for (const server of servers) await end(server);
}

function pairOfWords(n: number): string {
  return `"${FREQUENT_WORDS[n]}" "${FREQUENT_WORDS[(n + 5) % FREQUENT_WORDS.length]}"`;
}

/** Also that the answer is right: a fast answer that is wrong is no figure. */
async function timed(client: RequestClient, params: object, total: number | undefined): Promise<number> {
  const { result, ms } = await client.request('listSessions', params);
  const answer = result as ListSessionsResult;
  if (total !== undefined && (answer.total !== total || answer.items.length !== Math.min(50, total))) {
    throw new Error(`${JSON.stringify(params)} gave ${answer.items.length} of ${answer.total}, not of ${total}`);
  }
  return ms;
}

/** Each kind several times in each round, in turn, so that a busy moment of the machine meets them all. */
async function rounds<K extends string>(
  kinds: Record<K, (n: number) => Promise<number>>,
): Promise<Record<K, number[]>> {
  const names = Object.keys(kinds) as K[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<K, number[]>;
  for (let round = -1; round < ROUNDS; round++) {
    for (const name of names) {
      const once: number[] = [];
      for (let n = 0; n < REQUESTS; n++) once.push(await kinds[name](n));
      // The first round warms up.
      if (round >= 0) times[name].push(median(once));
    }
  }
  return times;
}

async function openings(): Promise<void> {
  const stateDir = join(folder, 'openings');
  const id = (events: number, round: number) => sessionId(events * 100 + round + 1);
  for (let round = -1; round < ROUNDS; round++) {
    for (const events of [LONG, SHORT]) writeLongSession(stateDir, id(events, round), events);
  }
  const open = async (client: RequestClient, events: number, round: number) => {
    const resource = `mock:/${id(events, round)}`;
    const { result, ms } = await client.request('subscribe', { resource, turns: 1 });
    const { state } = result as Snapshot & { state: { turns: unknown[] } };
    if (state.turns.length !== 1) throw new Error(`${resource} was opened without its turns`);
    return ms;
  };
  // These logs were not written by a host, which leaves a checkpoint beside each as it grows: one that opens them makes up for it.
  const writer = await startHost(stateDir, 10 * MINUTE);
  const first = await RequestClient.open(writer.address);
  for (let round = -1; round < ROUNDS; round++) {
    for (const events of [LONG, SHORT]) await open(first, events, round);
  }
  first.close();
  await end(writer);
  const server = await startHost(stateDir, 10 * MINUTE);
  const client = await RequestClient.open(server.address);
  const times = { long: [] as number[], short: [] as number[] };
  for (let round = -1; round < ROUNDS; round++) {
    const [long, short] = [await open(client, LONG, round), await open(client, SHORT, round)];
    if (round < 0) continue;
    times.long.push(long);
    times.short.push(short);
  }
  add(`open a session of ${LONG} events`, times.long, `open one of ${SHORT} events`, times.short);
  client.close();
  await end(server);
}

async function rebuild(): Promise<void> {
  const stateDir = join(folder, 'rebuild');
  writeFolders(stateDir, REBUILT);
  const times = { rebuild: [] as number[], read: [] as number[] };
  for (let round = 0; round < Math.ceil(ROUNDS / 2); round++) {
    for (const suffix of ['', '-wal', '-shm', '-sums'])
      rmSync(join(stateDir, `index.sqlite${suffix}`), { force: true });
    times.read.push(readAll(stateDir));
    const start = performance.now();
    const server = await startHost(stateDir, 0, 'filled');
    times.rebuild.push(performance.now() - start);
    await end(server);
  }
  add(`rebuild the index of ${REBUILT} sessions`, times.rebuild, 'read and parse all their logs', times.read);
}

function readAll(stateDir: string): number {
  const start = performance.now();
  for (let n = 0; n < REBUILT; n++) {
    const text = readFileSync(join(stateDir, 'session-state', sessionId(n), 'events.jsonl'), 'utf8');
    for (const line of text.split('\n')) if (line) JSON.parse(line);
  }
  return performance.now() - start;
}

/** With the index that the rebuild has left. */
async function starts(): Promise<void> {
  const [full, empty] = [join(folder, 'rebuild'), join(folder, 'empty')];
  const times = { full: [] as number[], empty: [] as number[] };
  for (let round = -1; round < ROUNDS; round++) {
    for (const [stateDir, list] of [
      [full, times.full],
      [empty, times.empty],
    ] as const) {
      mkdirSync(stateDir, { recursive: true, mode: 0o700 });
      const server = await startHost(stateDir);
      if (round >= 0) list.push(server.startMs);
      await end(server);
    }
  }
  add(`start with ${REBUILT} sessions`, times.full, 'start with none', times.empty);
}

function startHost(stateDir: string, patienceMs = 0, event?: string): Promise<Server> {
  return startServer('storageServer.ts', [stateDir, String(patienceMs)], event);
}

async function startServer(file: string, args: readonly string[], until?: string): Promise<Server> {
  const start = performance.now();
  const child = fork(join(here, 'support', file), args);
  running.add(child);
  const reached = until === undefined ? undefined : childMessage(child, until);
  const { url, token } = (await childMessage(child, 'listening')) as ServerAddress;
  const startMs = performance.now() - start;
  await reached;
  return { child, address: { url, token }, startMs };
}

/** In good order, so that the next start finds what this one left. */
async function end({ child }: Server): Promise<void> {
  const exited = new Promise((resolve) => child.once('exit', resolve));
  if (child.spawnargs.some((arg) => arg.endsWith('storageServer.ts'))) {
    const closed = childMessage(child, 'closed');
    child.send('close');
    await closed;
  }
  child.kill();
  await exited;
  running.delete(child);
}

function add(measure: string, ours: readonly number[], baseline: string, theirs: readonly number[]): void {
  rows.push({
    measure,
    ms: hundredths(median(ours)),
    'spread %': Math.round(spread(ours) * 100),
    baseline,
    'baseline ms': hundredths(median(theirs)),
    ratio: hundredths(median(ours.map((ms, round) => ms / (theirs[round] ?? Number.NaN)))),
  });
}

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}

function note(text: string): void {
  process.stderr.write(`${text}\n`);
}
