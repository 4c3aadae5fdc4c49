import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { HostClient, HostClientOptions } from '@agenthost/client';
import type { TestPostgres } from '../../support/storage/postgres.js';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import type { World } from './world.js';

/** `before`: the message is lost. `after`: the database carries it out, and its answer is lost. */
export type CutMode = 'before' | 'after';

/** Whether the connection is cut at this message of the host, the n-th. */
export type CutAt = (n: number, message: Buffer) => boolean;

/** A network to the database that cuts the connection of one of the host's messages. */
export class CuttingProxy {
  readonly #isAt: CutAt;
  readonly mode: CutMode;
  count = 0;
  hasFired = false;
  readonly #target: URL;
  readonly #server = createServer((socket) => this.#accept(socket));
  readonly #sockets = new Set<Socket>();

  static async start(target: URL, at: CutAt, mode: CutMode): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(target, at, mode);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  private constructor(target: URL, at: CutAt, mode: CutMode) {
    this.#target = target;
    this.#isAt = at;
    this.mode = mode;
  }

  get url(): URL {
    const url = new URL(this.#target);
    url.port = String((this.#server.address() as AddressInfo).port);
    return url;
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, 'close');
  }

  #accept(socket: Socket): void {
    const upstream = connect(Number(this.#target.port), this.#target.hostname);
    for (const end of [socket, upstream]) {
      this.#sockets.add(end);
      end.on('error', () => {});
      end.on('close', () => this.#sockets.delete(end));
    }
    upstream.on('close', () => socket.destroy());
    // What was sent before the end is carried out.
    socket.on('close', () => upstream.end());
    upstream.on('data', (chunk) => {
      if (!socket.destroyed) socket.write(chunk);
    });
    socket.on('data', (chunk) => {
      if (!this.hasFired && this.#isAt(++this.count, chunk)) {
        this.hasFired = true;
        if (this.mode === 'after') upstream.write(chunk);
        socket.destroy();
      } else upstream.write(chunk);
    });
  }
}

/** Sessions in a database, over a network that is cut once. */
export class CutDatabaseWorld implements World {
  /** How often clients lost their connections while the host ran. */
  disconnects = 0;
  readonly #server: TestPostgres;
  readonly #database: string;
  readonly #proxy: CuttingProxy;
  readonly #stateDir: string;

  static async create(server: TestPostgres, at: CutAt, mode: CutMode) {
    const database = await server.newDatabase();
    const proxy = await CuttingProxy.start(new URL(database), at, mode);
    return { proxy, world: new CutDatabaseWorld(server, database, proxy, await temporaryFolder()) };
  }

  private constructor(server: TestPostgres, database: string, proxy: CuttingProxy, stateDir: string) {
    this.#server = server;
    this.#database = database;
    this.#proxy = proxy;
    this.#stateDir = stateDir;
  }

  async start() {
    const start = () => startTestHost({ stateDir: this.#stateDir, database: this.#proxy.url.href });
    // A host says at its start that it can't reach the database; whoever started it tries again.
    const host: TestHost = await start().catch(start);
    let isStopping = false;
    return {
      connect: async (options: Partial<HostClientOptions> = {}): Promise<HostClient> => {
        const client = await host.connect(options);
        client.connection.subscribe(({ state }) => {
          if (!isStopping && state === 'reconnecting') this.disconnects++;
        });
        return client;
      },
      stop: () => {
        isStopping = true;
        return host.dispose();
      },
    };
  }

  async sessionIds(): Promise<readonly string[]> {
    const rows = await this.#server.query<{ id: string }>(
      this.#database,
      'select id from agenthost.session order by id',
    );
    return rows.map(({ id }) => id);
  }

  async dispose(): Promise<void> {
    await this.#proxy.close();
    await rm(this.#stateDir, { recursive: true, force: true });
  }
}
