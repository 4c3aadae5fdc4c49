// How long `agenthost ls` takes against a running host, beside `node -e 0` in the same run: what every command costs at least.
// The two take turns, and the result is the ratio of their medians, because machines are noisy.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { quick: { type: 'boolean' }, json: { type: 'boolean' } } });
const ROUNDS = values.quick ? 11 : 51;
const cli = join(import.meta.dirname, '../apps/cli/dist/main.js');

const stateDir = await mkdtemp(join(tmpdir(), 'agenthost-bench-'));
const env = { ...process.env, AGENTHOST_HOME: stateDir };
const host = spawn(process.execPath, [cli, 'serve', '--port', '0', '--json'], {
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  await once(host.stdout, 'data');
  const commands = {
    'node -e 0': ['-e', '0'],
    'agenthost ls': [cli, 'ls'],
    'agenthost --help': [cli, '--help'],
  };
  const times = new Map<string, number[]>(Object.keys(commands).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, args] of Object.entries(commands)) times.get(name)?.push(run(args));
  }
  const base = median(times.get('node -e 0') ?? []);
  const rows = [...times].map(([command, measured]) => ({
    command,
    'median ms': tenths(median(measured)),
    'fastest ms': tenths(Math.min(...measured)),
    ratio: tenths((median(measured) / base) * 10) / 10,
  }));
  if (values.json) console.log(JSON.stringify(rows));
  else console.table(rows);
} finally {
  host.kill();
  await once(host, 'exit');
  await rm(stateDir, { recursive: true, force: true });
}

function run(args: readonly string[]): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return performance.now() - start;
}

function median(measured: readonly number[]): number {
  return measured.toSorted((a, b) => a - b)[Math.floor(measured.length / 2)] ?? 0;
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
