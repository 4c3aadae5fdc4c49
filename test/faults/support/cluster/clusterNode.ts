import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { startTcpProxy, type TcpProxy } from '../../../support/tcpProxy.js';
import { type HostProcess, spawnHost, temporaryFolder } from '../../../support/testHost.js';
import { preload } from '../alteredHost.js';
import { PATIENCE_MS } from '../amount.js';

export const LEASE_S = 2;
const AGAIN_MS = 200;

export interface ClusterNodeOptions {
  readonly name: string;
  /** The database, as seen past the node's own network. */
  readonly database: URL;
  readonly publicUrl: () => URL;
  readonly env: Readonly<Record<string, string>>;
}

/** One host of a cluster in a process of its own, with a network of its own to the database and to the other hosts. */
export class ClusterNode {
  readonly name: string;
  readonly #options: ClusterNodeOptions;
  readonly #network: TcpProxy;
  readonly #stateDir: string;
  #host: HostProcess | undefined;
  #isStopped = false;

  static async start(options: ClusterNodeOptions): Promise<ClusterNode> {
    const network = await startTcpProxy();
    network.forwardTo(options.database);
    const node = new ClusterNode(options, network, await temporaryFolder());
    await node.run();
    return node;
  }

  private constructor(options: ClusterNodeOptions, network: TcpProxy, stateDir: string) {
    this.name = options.name;
    this.#options = options;
    this.#network = network;
    this.#stateDir = stateDir;
  }

  get url(): URL | undefined {
    return this.#host?.url;
  }

  get token(): string {
    return this.#host?.token ?? '';
  }

  get isRunning(): boolean {
    return this.#host !== undefined;
  }

  /** A balancer sends clients here. */
  get isUp(): boolean {
    return this.isRunning && !this.#isStopped;
  }

  get errors(): string {
    return this.#host?.errors() ?? '';
  }

  async run(): Promise<void> {
    const { database, publicUrl, env } = this.#options;
    const through = new URL(database);
    through.port = this.#network.url.port;
    const args = ['--state-dir', this.#stateDir, '--database', through.href, '--lease', String(LEASE_S)];
    const environment = withLinksThatCanBeCut(Number(through.port), env);
    const start = () => spawnHost(this.#stateDir, [...args, '--public-url', publicUrl().href], environment);
    this.#host = await started(start);
    const { process } = this.#host;
    process.once('exit', () => {
      if (this.#host?.process === process) this.#host = undefined;
    });
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const host = this.#host;
    this.#isStopped = false;
    if (!host) return;
    // A balancer that asks for its health sends nobody there any more.
    this.#host = undefined;
    await host.kill(signal);
  }

  stop(): void {
    this.#isStopped = true;
    this.#host?.process.kill('SIGSTOP');
  }

  goOn(): void {
    this.#isStopped = false;
    this.#host?.process.kill('SIGCONT');
  }

  /** `silent`: nothing comes back, as where a router forgot the connection; else connections are refused. */
  cutFromDatabase({ silent }: { readonly silent: boolean }): void {
    if (silent) this.#network.swallowAnswers();
    else {
      this.#network.allow(false);
      this.#network.cut();
    }
  }

  joinDatabase(): void {
    this.#network.cut();
    this.#network.allow(true);
  }

  /** Ends its links to others, and lets it make none until `joinLinks`. */
  cutLinks(): void {
    this.#host?.process.kill('SIGUSR2');
  }

  async dispose(): Promise<void> {
    const host = this.#host;
    if (host) {
      const ended = once(host.process, 'exit');
      host.process.kill('SIGKILL');
      await ended;
    }
    await this.#network.close();
    await rm(this.#stateDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

/** A host that finds no database says so and ends. As a supervisor does, it is started again. */
async function started(start: () => Promise<HostProcess>): Promise<HostProcess> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if (!String(error).includes("can't be reached") || performance.now() > until) throw error;
      await delay(AGAIN_MS);
    }
  }
}

/** SIGUSR2 ends all connections that the process has made but those to its database, and allows none; the next one allows them. */
function withLinksThatCanBeCut(databasePort: number, env: Readonly<Record<string, string>>) {
  const { NODE_OPTIONS = '' } = preload(`
import { Socket } from 'node:net';
const made = new Set();
let isCut = false;
const { connect } = Socket.prototype;
Socket.prototype.connect = function (...args) {
  const [{ port } = {}] = Array.isArray(args[0]) ? args[0] : args;
  if (port === undefined || Number(port) === ${databasePort}) return connect.apply(this, args);
  made.add(this);
  this.once('close', () => made.delete(this));
  if (isCut) setImmediate(() => this.destroy(new Error('cut')));
  return connect.apply(this, args);
};
process.on('SIGUSR2', () => {
  isCut = !isCut;
  if (isCut) for (const socket of made) socket.destroy();
});`);
  const { NODE_OPTIONS: others = '', ...rest } = env;
  return { ...rest, NODE_OPTIONS: `${NODE_OPTIONS} ${others}` };
}
