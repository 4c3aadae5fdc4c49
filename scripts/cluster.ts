// `npm run cluster`: PostgreSQL from npm, three hosts on it and a balancer before them, all on loopback and in temporary folders.
// Prints one link; Ctrl+C ends everything. Flags go to `serve`, e.g. `npm run cluster -- --enable-mock-agent`.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { TestPostgres } from '../test/support/storage/postgres.ts';
import { type Balancer, startBalancer } from './balancer.ts';

const CLI = join(import.meta.dirname, '../apps/cli/dist/main.js');
const HOSTS = 3;

const flags = process.argv.slice(2);
const take = (name: string) => {
  const at = flags.indexOf(name);
  return at < 0 ? undefined : flags.splice(at, 2)[1];
};
const port = Number(take('--port') ?? 0);
const isJson = flags.includes('--json');
if (isJson) flags.splice(flags.indexOf('--json'), 1);

interface RunningHost {
  readonly url: string;
  readonly link: string;
  readonly pid: number;
  readonly instanceId: string;
}

const stopped = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, resolve);
});
const folder = await mkdtemp(join(tmpdir(), 'agenthost-cluster-'));
const children: ChildProcess[] = [];
let postgres: TestPostgres | undefined;
let balancer: Balancer | undefined;
try {
  // In groups of their own: Ctrl+C reaches this program alone, which ends them in order.
  postgres = await TestPostgres.start({ detached: true });
  const database = await postgres.newDatabase();
  balancer = await startBalancer(port);
  const hosts: RunningHost[] = [];
  for (let n = 1; n <= HOSTS; n++) {
    const host = await startHost(n, database, balancer.url);
    hosts.push(host);
    await balancer.add(new URL(host.url));
  }
  announce(hosts, database, balancer.url);
  await stopped;
} catch (error) {
  console.error(`The cluster could not be started: ${String(error)}`);
  process.exitCode = 1;
} finally {
  for (const child of children) child.kill('SIGTERM');
  await Promise.all(children.map(ended));
  await balancer?.close();
  await postgres?.dispose();
  await rm(folder, { recursive: true, force: true });
}

async function startHost(n: number, database: string, publicUrl: URL): Promise<RunningHost> {
  const own = ['--port', '0', '--state-dir', join(folder, `host-${n}`), '--json'];
  const shared = ['--database', database, '--public-url', publicUrl.origin, '--lease', '3', '--drain', '5'];
  const child = spawn(process.execPath, [CLI, 'serve', ...own, ...shared, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  children.push(child);
  const failed = ended(child).then(() => {
    throw new Error(`host ${n} ended before it listened`);
  });
  failed.catch(() => {});
  const [line] = (await Promise.race([once(createInterface({ input: child.stdout }), 'line'), failed])) as [string];
  return JSON.parse(line) as RunningHost;
}

function announce(hosts: readonly RunningHost[], database: string, url: URL): void {
  // All hosts of a database have the same token.
  const link = `${url.href}${new URL(hosts[0]?.link ?? '').hash}`;
  if (isJson) {
    const each = hosts.map(({ url: at, pid, instanceId }) => ({ url: at, pid, instanceId }));
    process.stdout.write(`${JSON.stringify({ event: 'listening', link, database, hosts: each })}\n`);
    return;
  }
  const rows = hosts
    .map(({ url: at, pid, instanceId }, n) => {
      // The page shows of each session at which host it is, by the beginning of this id.
      return `  host ${n + 1}  ${instanceId.slice(0, 8)}  ${at}  process ${pid}`;
    })
    .join('\n');
  process.stdout.write(
    `Three hosts share one PostgreSQL. Open this link; whoever has it can run commands here:\n\n  ${link}\n\n${rows}\n\nEnd one of them (kill -9, or kill) and go on. Ctrl+C ends everything.\n`,
  );
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
