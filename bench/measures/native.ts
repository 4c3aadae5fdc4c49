// Lists of what agents keep by themselves, with very many conversations: the first one of a host, those after it, and how both
// grow; beside a program that looks at the same files.
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ListNativeSessionsResult } from '@agenthost/protocol';
import { BenchProcess } from '../support/benchProcess.ts';
import { atMost } from '../support/figure.ts';
import { figureOf, median } from '../support/figures.ts';
import { LINEAR, seriesOf } from '../support/growth.ts';
import { measure } from '../support/measure.ts';
import { RequestClient } from '../support/requestClient.ts';

const A_PROJECT = 100;

await measure(async ({ quick }) => {
  const sizes = quick ? [10, 100, 1_000] : [100, 1_000, 10_000];
  const rounds = quick ? 2 : 5;
  const most = sizes.at(-1) ?? 0;
  const folder = mkdtempSync(join(tmpdir(), 'agenthost-bench-'));
  const first = new Map<number, number[]>();
  const again = new Map<number, number[]>();
  const raw: number[] = [];
  const home = process.env['HOME'];
  try {
    for (const size of sizes) {
      const projects = writeConversations(join(folder, String(size)), size);
      // Never the real one.
      process.env['HOME'] = join(folder, String(size));
      for (let round = 0; round < rounds; round++) {
        const server = await BenchProcess.startHost();
        const client = await RequestClient.open(server.address);
        add(first, size, await timed(client, size));
        add(again, size, await timed(client, size));
        client.close();
        server.kill();
        if (size === most) raw.push(lookAt(projects));
      }
    }
  } finally {
    process.env['HOME'] = home;
    rmSync(folder, { recursive: true, force: true });
  }
  const of = (found: typeof first, size: number) => found.get(size) ?? [];
  const points = (found: typeof first) =>
    sizes.map((size) => [size, Number(median(of(found, size)).toPrecision(3))] as const);
  const about = { measure: 'native', unit: 'ms', better: 'lower', baseline: 'a look at the files' } as const;
  const series = { measure: 'native', x: 'conversations', y: 'ms' };
  return {
    figures: [
      figureOf({ ...about, name: `first list of ${most}`, limit: atMost(2_000, 'value') }, of(first, most), raw),
      figureOf({ ...about, name: `next list of ${most}`, limit: atMost(50, 'value') }, of(again, most), raw),
    ],
    series: [seriesOf({ ...series, name: 'first list', atMost: LINEAR, points: points(first) })],
  };
});

/** The newest 50. */
async function timed(client: RequestClient, total: number): Promise<number> {
  const { result, ms } = await client.request('listNativeSessions', { limit: 50 });
  const { items, total: found } = result as ListNativeSessionsResult;
  if (found !== total || items.length !== Math.min(50, total)) throw new Error(`${found} of ${total} were listed`);
  return ms;
}

function writeConversations(home: string, count: number): string {
  const projects = join(home, '.claude', 'projects');
  for (let n = 0; n < count; n++) {
    const project = join(projects, `-work-${Math.floor(n / A_PROJECT)}`);
    if (n % A_PROJECT === 0) mkdirSync(project, { recursive: true });
    const path = join(project, `${randomUUID()}.jsonl`);
    writeFileSync(path, conversation(n));
    utimesSync(path, 1_700_000_000 + n, 1_700_000_000 + n);
  }
  return projects;
}

function conversation(n: number): string {
  const common = { isSidechain: false, cwd: '/work', timestamp: '2026-01-01T00:00:00Z' };
  const turns = Array.from({ length: 20 }, (_, turn) => [
    { ...common, type: 'user', uuid: `u-${n}-${turn}`, message: { role: 'user', content: `message ${turn} of ${n}` } },
    { ...common, type: 'assistant', message: { content: [{ type: 'text', text: 'x'.repeat(500) }] } },
  ]).flat();
  return turns.map((line) => `${JSON.stringify(line)}\n`).join('');
}

function lookAt(projects: string): number {
  const start = performance.now();
  for (const project of readdirSync(projects)) {
    for (const name of readdirSync(join(projects, project))) statSync(join(projects, project, name));
  }
  return performance.now() - start;
}

function add(found: Map<number, number[]>, size: number, ms: number): void {
  found.set(size, [...(found.get(size) ?? []), ms]);
}
