// How long a host takes to listen with very many sessions on disk, beside an empty state root; and how long `agenthost ls`
// takes against a running host, and `--help`, beside `node -e 0`.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BenchProcess } from '../support/benchProcess.ts';
import { atMost } from '../support/figure.ts';
import { figureOf, median } from '../support/figures.ts';
import { FLAT, seriesOf } from '../support/growth.ts';
import { measure } from '../support/measure.ts';
import { RequestClient } from '../support/requestClient.ts';
import { writeFolders } from '../support/writeSessions.ts';

const CLI = join(import.meta.dirname, '../../apps/cli/dist/main.js');

await measure(async ({ quick }) => {
  const rounds = quick ? 3 : 9;
  const sizes = quick ? [5, 50, 500] : [10, 100, 1_000, 10_000];
  const most = sizes.at(-1) ?? 0;
  const folder = mkdtempSync(join(tmpdir(), 'agenthost-bench-'));
  const rootOf = (size: number) => join(folder, String(size));
  try {
    mkdirSync(rootOf(0), { mode: 0o700 });
    for (const size of sizes) writeFolders(rootOf(size), size);
    // The first start of each makes its index, which continues while the host serves.
    for (const size of sizes) {
      const server = await BenchProcess.startHost(rootOf(size));
      const client = await RequestClient.open(server.address);
      await client.indexed(size);
      client.close();
      await server.end();
    }
    const starts = new Map<number, number[]>([0, ...sizes].map((size) => [size, []]));
    const commands = { node: [] as number[], ls: [] as number[], help: [] as number[] };
    for (let round = -1; round < rounds; round++) {
      for (const size of [0, ...sizes]) {
        const server = await BenchProcess.startHost(rootOf(size));
        if (round >= 0) starts.get(size)?.push(server.startMs);
        await server.end();
      }
    }
    // One host for all rounds, as a command finds it: it has been running for a while.
    const server = await BenchProcess.startHost(rootOf(0));
    for (let round = -2; round < rounds; round++) {
      const [node, ls, help] = [run(['-e', '0']), run([CLI, 'ls'], rootOf(0)), run([CLI, '--help'])];
      if (round < 0) continue;
      commands.node.push(node);
      commands.ls.push(ls);
      commands.help.push(help);
    }
    await server.end();
    const of = (size: number) => starts.get(size) ?? [];
    const about = { measure: 'start', unit: 'ms', better: 'lower' } as const;
    const points = sizes.map((size) => [size, Number(median(of(size)).toPrecision(3))] as const);
    const full = { ...about, name: `with ${most} sessions on disk`, baseline: 'empty state root', limit: atMost(1.3) };
    return {
      figures: [
        figureOf(full, of(most), of(0)),
        figureOf(
          { ...about, name: 'agenthost ls', baseline: 'node -e 0', limit: atMost(3) },
          commands.ls,
          commands.node,
        ),
        figureOf(
          { ...about, name: 'agenthost --help', baseline: 'node -e 0', limit: atMost(1.5) },
          commands.help,
          commands.node,
        ),
      ],
      series: [
        seriesOf({ measure: 'start', name: 'start to listening', x: 'sessions', y: 'ms', points, atMost: FLAT }),
      ],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

function run(args: readonly string[], stateRoot?: string): number {
  const env = { ...process.env, ...(stateRoot !== undefined && { AGENTHOST_HOME: stateRoot }) };
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return performance.now() - start;
}
