import { rm } from 'node:fs/promises';
import { connect, type HostClient, type HostClientOptions } from '@agenthost/client';
import { RawClient } from './rawClient.js';
import { startTcpProxy } from './tcpProxy.js';
import { type HostProcess, spawnHost, temporaryFolder } from './testHost.js';

/** A host in its own process that dies and comes back on the same state root, under one address that stays. */
export interface RestartableHost {
  readonly stateDir: string;
  readonly url: URL;
  readonly token: string;
  readonly process: HostProcess;
  /** Ends it with this signal. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  start(): Promise<void>;
  /** What the host says is lost from now on, until its connections end. */
  swallowAnswers(): void;
  /** Ends some connections without a goodbye: each with this probability. */
  cut(probability: number): void;
  connect(options?: Partial<HostClientOptions>): Promise<HostClient>;
  /** Straight to the process, past the address that stays. */
  raw(name: string): Promise<RawClient>;
  dispose(): Promise<void>;
}

export async function startRestartableHost(
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  prepare: (stateDir: string) => Promise<void> = async () => {},
): Promise<RestartableHost> {
  const stateDir = await temporaryFolder();
  await prepare(stateDir);
  const proxy = await startTcpProxy();
  const clients: HostClient[] = [];
  const raws: RawClient[] = [];
  const spawn = async () => {
    const flags = ['--state-dir', stateDir, '--public-url', proxy.url.href, ...args];
    const spawned = await spawnHost(stateDir, flags, env);
    proxy.forwardTo(spawned.url);
    return spawned;
  };
  let current = await spawn();
  return {
    stateDir,
    url: proxy.url,
    token: current.token,
    get process() {
      return current;
    },
    end: (signal) => current.kill(signal),
    async start() {
      current = await spawn();
    },
    swallowAnswers: () => proxy.swallowAnswers(),
    cut: (probability) => proxy.cut(probability),
    async connect(options = {}) {
      const client = await connect({
        url: proxy.url,
        token: current.token,
        random: () => 0.01,
        ...options,
      } as HostClientOptions);
      clients.push(client);
      return client;
    },
    async raw(name) {
      const client = await RawClient.open(current);
      raws.push(client);
      await client.request('initialize', { protocolVersion: 1, clientId: name, clientInfo: { name } });
      return client;
    },
    async dispose() {
      for (const client of clients) client.close();
      await Promise.all(raws.map((client) => client.end()));
      await current.kill('SIGKILL');
      await proxy.close();
      // Agents that are just being ended may still write.
      await rm(stateDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}
