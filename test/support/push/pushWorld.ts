import type { HostClient, HostClientOptions } from '@agenthost/client';
import type { HostOptions } from '@agenthost/host';
import type { PushNotify, Role } from '@agenthost/protocol';
import { expect } from 'vitest';
import type { DeviceTokens } from '../../../packages/host/src/server/access/deviceTokens.js';
import { startTestHost, type TestHost, temporaryFolder } from '../testHost.js';
import { PushService, type ServedDevice } from './pushService.js';

/** Nothing waits for time to pass. */
export const QUICK: NonNullable<HostOptions['push']> = {
  allowLoopback: true,
  limits: { gapMs: 0, firstDelayMs: 10, maxDelayMs: 50, timeoutMs: 500 },
};

/** One person's device: its token, its client, its subscription. */
export interface SubscribedDevice {
  readonly name: string;
  readonly token: string;
  readonly client: HostClient;
  readonly push: ServedDevice;
  readonly id: string;
}

export interface PushWorld {
  readonly host: TestHost;
  readonly service: PushService;
  readonly tokens: DeviceTokens;
  /** A device with a token of its own that gets notifications and looks at nothing. */
  add(name: string, role: Role, notify?: PushNotify, space?: string): Promise<SubscribedDevice>;
  connect(options: Partial<HostClientOptions>): Promise<HostClient>;
  dispose(): Promise<void>;
}

export async function startPushWorld(options: Partial<HostOptions> = {}): Promise<PushWorld> {
  const stateDir = options.stateDir ?? (await temporaryFolder());
  const service = await PushService.start();
  const host = await startTestHost({ push: QUICK, ...options, stateDir });
  const tokens = host.host.deviceTokens;
  return {
    host,
    service,
    tokens,
    connect: (given) => host.connect(given),
    async add(name, role, notify = 'needsInput', space = 'default') {
      const token = await tokens.add(name, role, space);
      const client = await connectSoon(host, { token, clientInfo: { name } });
      const push = service.device();
      service.senderKey ??= await client.push.publicKey();
      const id = await client.push.subscribe({ endpoint: push.endpoint, keys: push.keys, notify });
      await client.push.lookAt(undefined, id);
      return { name, token, client, push, id };
    },
    async dispose() {
      await host.dispose();
      await service.close();
      expect(service.problems).toEqual([]);
    },
  };
}

/** A host notices a new token a moment after it was added. */
export async function connectSoon(host: TestHost, options: Partial<HostClientOptions>): Promise<HostClient> {
  const until = performance.now() + 10_000;
  for (;;) {
    try {
      return await host.connect(options);
    } catch (error) {
      if (performance.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}

/** A session of the mock agent, made by a client that looks at nothing. */
export async function sessionOf(client: HostClient, title?: string) {
  const session = await client.createSession({ provider: 'mock' });
  await session.ready();
  await client.push.lookAt(undefined);
  if (title !== undefined) await session.rename(title);
  return session;
}
