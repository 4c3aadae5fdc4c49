import { rm } from 'node:fs/promises';
import type { Role } from '@agenthost/protocol';
import { RawClient } from '../../support/rawClient.js';
import type { TestPostgres } from '../../support/storage/postgres.js';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';

/** Where sessions are made, and where they are looked for. */
export const WORLDS = ['in a folder', 'in a database', 'through another host'] as const;

/** One host, or two of a cluster, with tokens of several spaces. */
export class SpaceWorld {
  readonly #hosts: TestHost[] = [];
  readonly #folders: string[] = [];
  readonly #clients: RawClient[] = [];
  readonly #tokens = new Map<string, string>();
  readonly #database: string | undefined;

  static async start(kind: (typeof WORLDS)[number], postgres: TestPostgres): Promise<SpaceWorld> {
    const world = new SpaceWorld(kind === 'in a folder' ? undefined : await postgres.newDatabase());
    for (let n = 0; n < (kind === 'through another host' ? 2 : 1); n++) {
      const stateDir = await temporaryFolder();
      world.#folders.push(stateDir);
      world.#hosts.push(await world.#startIn(stateDir));
    }
    await world.#link();
    return world;
  }

  private constructor(database: string | undefined) {
    this.#database = database;
  }

  /** What one of them tells, the other hears from now on. */
  async #link(): Promise<void> {
    if (this.owner === this.other) return;
    const session = await makeSession(await this.open('nobody', this.owner), 'first');
    await (await this.open('nobody', this.other)).stateOf(session);
  }

  #startIn(stateDir: string): Promise<TestHost> {
    return startTestHost({
      stateDir,
      ...(this.#database !== undefined && { database: this.#database, leaseMs: 20_000 }),
    });
  }

  /** The host that has the sessions. */
  get owner(): TestHost {
    return this.#hosts[0] as TestHost;
  }

  /** The host that clients look through. */
  get other(): TestHost {
    return this.#hosts.at(-1) as TestHost;
  }

  /** All sessions are unloaded. */
  async restart(): Promise<void> {
    for (const client of this.#clients.splice(0)) await client.end();
    for (const host of this.#hosts.splice(0)) await host.dispose();
    for (const folder of this.#folders) this.#hosts.push(await this.#startIn(folder));
  }

  async tokenOf(space: string, role: Role = 'owner'): Promise<string> {
    const name = `${role} of ${space}`;
    const token = this.#tokens.get(name) ?? (await this.owner.host.deviceTokens.add(name, role, space));
    this.#tokens.set(name, token);
    return token;
  }

  /** A connection that has not shaken hands. Waits until the host has noticed the token. */
  async connect(space: string, host = this.other): Promise<RawClient> {
    const token = await this.tokenOf(space);
    for (;;) {
      const client = await RawClient.open({ url: host.url, token }).catch(() => undefined);
      if (!client) continue;
      this.#clients.push(client);
      return client;
    }
  }

  /** A client of that space. */
  async open(space: string, host = this.other, more: object = {}): Promise<RawClient> {
    const client = await this.connect(space, host);
    await client.request('initialize', { protocolVersion: 2, clientId: crypto.randomUUID(), ...more });
    return client;
  }

  async dispose(): Promise<void> {
    for (const client of this.#clients) await client.end();
    for (const host of this.#hosts) await host.dispose();
    for (const folder of this.#folders) await rm(folder, { recursive: true, force: true });
  }
}

/** A session with one turn and a title, made by that client, which is subscribed to it. */
export async function makeSession(client: RawClient, title: string): Promise<string> {
  const session = `mock:/${crypto.randomUUID()}`;
  await client.request('createSession', { session });
  if ((await client.stateOf(session)).lifecycle === 'creating') await client.nextAction(session, 'session/ready');
  client.dispatch({ type: 'session/turnStarted', session, turnId: 'first', userMessage: { text: `about ${title}` } });
  await client.nextAction(session, 'session/turnComplete');
  await client.act({ type: 'session/titleChanged', session, title });
  return session;
}
