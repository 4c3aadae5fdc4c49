// Lists and searches with very many sessions, through a real host and a real socket, on a folder and on PostgreSQL, beside fifty
// rows of raw SQLite over a raw socket; and how a list grows with the sessions.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ListSessionsResult } from '@agenthost/protocol';
import { TestPostgres } from '../../test/support/storage/postgres.ts';
import { BenchProcess } from '../support/benchProcess.ts';
import { atMost, type Figure } from '../support/figure.ts';
import { figureOf, median } from '../support/figures.ts';
import { FLAT, LINEAR, seriesOf } from '../support/growth.ts';
import { measure } from '../support/measure.ts';
import { RequestClient } from '../support/requestClient.ts';
import { writeDatabase } from '../support/writeDatabase.ts';
import { FREQUENT_WORDS, RARE_WORDS, writeIndex } from '../support/writeSessions.ts';

const NEWEST = 'newest 50';
const SERIES = { measure: 'list', x: 'sessions', y: 'ms' };
/** Of each kind in one round; twelve searches, so that none of them is remembered from the round before. */
const REQUESTS = FREQUENT_WORDS.length;

await measure(async ({ quick }) => {
  const rounds = quick ? 2 : 5;
  const sizes = quick ? [50, 500, 5_000] : [100, 1_000, 10_000, 100_000];
  const most = sizes.at(-1) ?? 0;
  const folder = mkdtempSync(join(tmpdir(), 'agenthost-bench-'));
  const servers: BenchProcess[] = [];
  const postgres = await TestPostgres.start();
  try {
    const clients = new Map<number, RequestClient>();
    for (const size of sizes) {
      const stateDir = join(folder, String(size));
      writeIndex(stateDir, size);
      const server = await BenchProcess.startHost(stateDir);
      servers.push(server);
      clients.set(size, await RequestClient.open(server.address));
    }
    const onDatabase = await BenchProcess.startHost(undefined, ['--database', postgres.urlOf()]);
    servers.push(onDatabase);
    await writeDatabase(postgres.urlOf(), most);
    // As the server does by itself after a while.
    await postgres.query(postgres.urlOf(), 'vacuum analyze');
    const shared = await RequestClient.open(onDatabase.address);
    const rawServer = await BenchProcess.start('rawSqliteServer.ts');
    servers.push(rawServer);
    const raw = await RequestClient.open(rawServer.address);
    const of = (size: number, params: object, total: number) => timed(clients.get(size), params, total);
    const newest = { limit: 50 };
    const search = (text: string, total: number) => of(most, { limit: 50, filter: { text } }, total);
    const kinds: Record<string, (n: number) => Promise<number>> = {
      raw: (n) => timed(raw, { n }, undefined),
      'not archived': () => of(most, { ...newest, filter: { isArchived: false } }, most - most / 10),
      'search, a word that all have': (n) => search(`"${FREQUENT_WORDS[n]}"`, most),
      'search, the beginning of one': (n) => search(FREQUENT_WORDS[n] ?? '', most),
      'search, two that all have': (n) => search(pairOfWords(n), most),
      'search, a rare word': (n) => search(`"${RARE_WORDS[n]}"`, Math.ceil(most / 1_000)),
      'search, no hit': (n) => search(`nowhere${n}`, 0),
    };
    // A search there counts up to 10,000 sessions.
    const onShared = (text: string, total: number) =>
      timed(shared, { limit: 50, filter: { text } }, Math.min(total, 10_000));
    const sharedKinds: Record<string, (n: number) => Promise<number>> = {
      [NEWEST]: () => timed(shared, newest, most),
      'search, a word that all have': (n) => onShared(`"${FREQUENT_WORDS[n]}"`, most),
      'search, the beginning of one': (n) => onShared(FREQUENT_WORDS[n] ?? '', most),
      'search, a rare word': (n) => onShared(`"${RARE_WORDS[n]}"`, Math.ceil(most / 1_000)),
      'search, no hit': (n) => onShared(`nowhere${n}`, 0),
    };
    for (const [name, ask] of Object.entries(sharedKinds)) kinds[`on PostgreSQL: ${name}`] = ask;
    for (const size of sizes) {
      kinds[`newest of ${size}`] = () => of(size, newest, size);
      kinds[`search of ${size}`] = (n) => of(size, { limit: 50, filter: { text: `"${FREQUENT_WORDS[n]}"` } }, size);
    }
    const times = await inTurn(kinds, rounds);
    const baseline = '50 rows of raw SQLite';
    const figure = (name: string, kind: string, ms: number): Figure =>
      figureOf(
        { measure: 'list', name, unit: 'ms', better: 'lower', baseline, limit: atMost(ms, 'value') },
        times[kind] ?? [],
        times['raw'] ?? [],
      );
    const points = (kind: string) =>
      sizes.map((size) => [size, Number(median(times[`${kind} of ${size}`] ?? []).toPrecision(3))] as const);
    return {
      figures: [
        figure(`newest 50 of ${most}`, `newest of ${most}`, 5),
        figure(`newest 50 of ${most}, not archived`, 'not archived', 5),
        ...Object.keys(kinds)
          .filter((kind) => kind.startsWith('search, '))
          .map((kind) => figure(`${kind}, of ${most}`, kind, 50)),
        ...Object.keys(sharedKinds).map((kind) =>
          figure(`on PostgreSQL: ${kind}, of ${most}`, `on PostgreSQL: ${kind}`, kind === NEWEST ? 5 : 50),
        ),
      ],
      series: [
        { ...SERIES, name: 'newest 50', points: points('newest'), atMost: FLAT },
        { ...SERIES, name: 'search, a word that all have', points: points('search'), atMost: LINEAR },
      ].map(seriesOf),
    };
  } finally {
    for (const server of servers) server.kill();
    await postgres.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
});

function pairOfWords(n: number): string {
  return `"${FREQUENT_WORDS[n]}" "${FREQUENT_WORDS[(n + 5) % FREQUENT_WORDS.length]}"`;
}

/** Also that the answer is right: a fast answer that is wrong is no figure. */
async function timed(client: RequestClient | undefined, params: object, total: number | undefined): Promise<number> {
  if (!client) throw new Error('a client is missing');
  const { result, ms } = await client.request('listSessions', params);
  const answer = result as ListSessionsResult;
  if (total !== undefined && (answer.total !== total || answer.items.length !== Math.min(50, total))) {
    throw new Error(`${JSON.stringify(params)} gave ${answer.items.length} of ${answer.total}, not of ${total}`);
  }
  return ms;
}

/** Each kind several times in each round, in turn, so that a busy moment of the machine meets them all. */
async function inTurn(
  kinds: Record<string, (n: number) => Promise<number>>,
  rounds: number,
): Promise<Record<string, number[]>> {
  const times: Record<string, number[]> = {};
  for (let round = -1; round < rounds; round++) {
    for (const [name, ask] of Object.entries(kinds)) {
      const once: number[] = [];
      for (let n = 0; n < REQUESTS; n++) once.push(await ask(n));
      // The first round warms up.
      times[name] ??= [];
      if (round >= 0) times[name].push(median(once));
    }
  }
  return times;
}
