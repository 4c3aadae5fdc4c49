import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostClient, SessionHandle } from '@agenthost/client';
import type { HostOptions } from '@agenthost/host';
import type { SessionCustomization } from '@agenthost/protocol';
import { afterEach, beforeEach } from 'vitest';
import { say } from '../../support/say.js';
import { startTestHost, type TestHost } from '../../support/testHost.js';

/** A home, a state folder and a project of each test's own, and a host that finds customizations in them. */
export interface CustomizationWorld {
  readonly root: string;
  readonly home: string;
  readonly state: string;
  readonly project: string;
  readonly host: TestHost;
  /** Alice's. */
  readonly client: HostClient;
  /** Starts the host; after `host.host.close()` another one on the same folders. */
  start(options?: Partial<HostOptions>): Promise<void>;
  /** A session that is ready. */
  create(provider?: string): Promise<SessionHandle>;
}

export function useCustomizationWorld(): CustomizationWorld {
  let root: string;
  let host: TestHost | undefined;
  let client: HostClient | undefined;
  const started = <T>(part: T | undefined): T => {
    if (part === undefined) throw new Error('the host was not started');
    return part;
  };
  const world: CustomizationWorld = {
    get root() {
      return root;
    },
    get home() {
      return join(root, 'home');
    },
    get state() {
      return join(root, 'state');
    },
    get project() {
      return join(root, 'project');
    },
    get host() {
      return started(host);
    },
    get client() {
      return started(client);
    },
    async start(options = {}) {
      const env = { PATH: process.env['PATH'] ?? '', HOME: world.home };
      host = await startTestHost({ env, stateDir: world.state, defaultDirectory: world.project, ...options });
      client = await host.connect({ clientInfo: { name: 'Alice' } });
    },
    async create(provider = 'mock') {
      const session = await world.client.createSession({ provider });
      await session.ready();
      return session;
    },
  };
  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'agenthost-custom-')));
    for (const folder of [world.home, world.state, world.project]) await mkdir(folder, { mode: 0o700 });
  });
  afterEach(async () => {
    await host?.dispose();
    host = client = undefined;
    await rm(root, { recursive: true, force: true });
  });
  return world;
}

export const mcp = (servers: object) => JSON.stringify({ mcpServers: servers });

/** What the agent says that it was given. */
export async function given(session: SessionHandle): Promise<string[]> {
  return (await say(session, 'customizations')).split('\n');
}

export function listed(session: SessionHandle): readonly SessionCustomization[] {
  return session.confirmed.value.customizations ?? [];
}

export function entry(session: SessionHandle, name: string): SessionCustomization | undefined {
  return listed(session).find(({ customization }) => customization.displayName === name);
}
