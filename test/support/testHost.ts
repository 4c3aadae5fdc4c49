import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect, type HostClient, type HostClientOptions } from '@agenthost/client';
import { Host, type HostOptions, type ListenOptions, MockAgent, ShellAgent } from '@agenthost/host';
import type { SessionState, Snapshot } from '@agenthost/protocol';
import { RawClient } from './rawClient.js';

export const CLI = join(import.meta.dirname, '../../apps/cli/dist/main.js');

export async function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'agenthost-test-'));
}

/** A real host on a free port, in this process. `dispose` removes everything that it leaves. */
export interface TestHost {
  readonly host: Host;
  readonly url: URL;
  readonly token: string;
  readonly stateDir: string;
  connect(options?: Partial<HostClientOptions>): Promise<HostClient>;
  /** A raw client that has shaken hands under this name, which is its id as well. */
  raw(name: string): Promise<RawClient>;
  dispose(): Promise<void>;
}

export async function startTestHost(options: Partial<HostOptions> = {}, listen: ListenOptions = {}): Promise<TestHost> {
  const stateDir = options.stateDir ?? (await temporaryFolder());
  const host = await Host.start({
    agents: [new MockAgent(), new ShellAgent()],
    defaultDirectory: stateDir,
    // The user's own agent settings at home must not affect the tests.
    env: { ...process.env, HOME: stateDir },
    ...options,
    stateDir,
  });
  const { url, token } = await host.listen(listen);
  const clients: HostClient[] = [];
  const raws: RawClient[] = [];
  return {
    host,
    url,
    token,
    stateDir,
    async connect(connectOptions = {}) {
      const client = await connect({ url, token, ...connectOptions } as HostClientOptions);
      clients.push(client);
      return client;
    },
    async raw(name) {
      const client = await RawClient.open({ url, token });
      raws.push(client);
      await client.request('initialize', { protocolVersion: 1, clientId: name, clientInfo: { name } });
      return client;
    },
    async dispose() {
      for (const client of clients) client.close();
      for (const client of raws) await client.end();
      await host.close();
      if (options.stateDir === undefined) await rm(stateDir, { recursive: true, force: true });
    },
  };
}

/** A host and two people who use it. */
export async function startWithTwo() {
  const host = await startTestHost();
  const alice = await host.connect({ clientInfo: { name: 'Alice' } });
  const bob = await host.connect({ clientInfo: { name: 'Bob' } });
  return { host, alice, bob };
}

/** The same with raw clients. */
export async function startWithTwoRaw() {
  const host = await startTestHost();
  return { host, alice: await host.raw('alice'), bob: await host.raw('bob') };
}

/** A mock session that is ready, with these clients subscribed to it and each told of the others. */
export async function rawSession(clients: readonly RawClient[], config?: object): Promise<string> {
  const [first] = clients;
  if (!first) throw new Error('a session needs somebody to make it');
  const session = `mock:/${crypto.randomUUID()}`;
  await first.request('createSession', { session, ...(config && { config }) });
  for (const client of clients) {
    const { state } = await client.request<Snapshot>('subscribe', { resource: session });
    if ((state as SessionState).lifecycle === 'creating') await client.nextAction(session, 'session/ready');
  }
  for (const client of clients) {
    await client.nextAction(session, 'session/clientsChanged', (action) => action.clients.length === clients.length);
  }
  return session;
}

/** The real command in a process of its own, for what only a process can show: kills, signals, exit codes. */
export interface HostProcess {
  readonly process: ChildProcess;
  /** What it said when it listened. */
  readonly firstLine: string;
  readonly url: URL;
  readonly token: string;
  readonly pid: number;
  /** What it wrote to stderr so far. */
  readonly errors: () => string;
  /** Sends a signal and waits for the end. */
  kill(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

export interface SpawnOptions {
  /** How many the system lets the process have. */
  readonly descriptors?: number;
  /** Another build of the command. */
  readonly command?: string;
}

export async function spawnHost(
  stateDir: string,
  args: readonly string[] = ['--state-dir', stateDir],
  env: Readonly<Record<string, string>> = {},
  { descriptors, command: cli = CLI }: SpawnOptions = {},
): Promise<HostProcess> {
  const serve = [process.execPath, cli, 'serve', '--json', '--enable-mock-agent', '--port', '0', ...args];
  const limited = ['sh', '-c', `ulimit -n ${descriptors} && exec "$@"`, 'sh', ...serve];
  const [command = '', ...rest] = descriptors === undefined ? serve : limited;
  const child = spawn(command, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...hostEnvironment(stateDir), ...env },
  });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += String(chunk);
  });
  const lines = createInterface({ input: child.stdout });
  const exited = once(child, 'exit').then(() => {
    throw new Error(`the host ended before it listened: ${errors}`);
  });
  exited.catch(() => {});
  const [line] = (await Promise.race([once(lines, 'line'), exited])) as [string];
  const { url, link, pid } = JSON.parse(line) as { url: string; link: string; pid: number };
  return {
    process: child,
    firstLine: line,
    url: new URL(url),
    token: new URL(link).hash.slice('#token='.length),
    pid,
    errors: () => errors,
    async kill(signal) {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill(signal);
        await ended;
      }
      return { code: child.exitCode, signal: child.signalCode };
    },
  };
}

/** Runs the command to its end. */
export async function runCli(args: readonly string[], env: Readonly<Record<string, string>> = {}, input?: string) {
  const child = spawn(process.execPath, [CLI, ...args], {
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    env: { ...hostEnvironment(tmpdir()), ...env },
    // One that starts although it should not must not outlive the test.
    timeout: 20_000,
  });
  child.stdin?.end(input);
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => {
    stdout += String(chunk);
  });
  child.stderr?.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

/** Nothing of the person who runs the tests: no home, no token. */
function hostEnvironment(home: string): Record<string, string> {
  // No snapshots of the repository that the tests run in.
  return { PATH: process.env['PATH'] ?? '', HOME: home, LANG: 'C.UTF-8', AGENTHOST_SNAPSHOTS: 'none' };
}
