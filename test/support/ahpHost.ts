import { rm } from 'node:fs/promises';
import { AhpGateway, type AhpLimits } from '@agenthost/ahp';
import { AcpAgents, type HostLog, type HostOptions } from '@agenthost/host';
import { ROLES, type Role } from '@agenthost/protocol';
import { createMemoryTransportPair } from '@agenthost/rpc';
import { AHP_PATH, AHP_TOKEN_PARAMETER, ahpAddress } from '../../apps/cli/src/serve/ahpAddress.js';
import { DeviceTokens } from '../../packages/host/src/server/access/deviceTokens.js';
import { writeStubAgents } from './agents/stubAgent.js';
import { AhpTestClient } from './ahpClient.js';
import { startTestHost, type TestHost, temporaryFolder } from './testHost.js';

/** A host in this process with the gateway in front of it, for what `serve --ahp` gives no handle on. */
export interface AhpTestHost extends Omit<TestHost, 'connect' | 'raw'> {
  readonly connect: TestHost['connect'];
  /** Everything that was logged. */
  readonly logged: readonly string[];
  /** Of that, the warnings. */
  readonly warned: readonly string[];
  /** A socket with a token of that role; the same one for each. */
  open(role?: Role): Promise<AhpTestClient>;
  /** A socket with a driver's token of another space, `design`. */
  openDesigner(): Promise<AhpTestClient>;
  /** One that has shaken hands as this client. */
  client(clientId: string, version?: string): Promise<AhpTestClient>;
  /** Takes the token of that role back. */
  revoke(role: Role): Promise<void>;
}

export async function startAhpHost(
  limits: Partial<AhpLimits> = {},
  options: Partial<HostOptions> = {},
): Promise<AhpTestHost> {
  const stateDir = options.stateDir ?? (await temporaryFolder());
  const devices = new DeviceTokens(stateDir);
  const tokens = new Map<Role, string>();
  for (const role of ROLES) tokens.set(role, await devices.add(`the ${role}`, role));
  const designer = await devices.add('the designer', 'driver', 'design');
  const logged: string[] = [];
  const note = (message: string) => void logged.push(message);
  const warned: string[] = [];
  const warn = (message: string) => {
    note(message);
    warned.push(message);
  };
  const log: HostLog = { debug: note, info: note, warn, error: note };
  const gateway = new AhpGateway({ log, limits });
  const test = await startTestHost(
    { log, ...options, stateDir },
    {
      socketRoutes: [
        {
          path: AHP_PATH,
          tokenParameter: AHP_TOKEN_PARAMETER,
          onConnection: (transport, credential) =>
            gateway.accept(transport, {
              credentialId: credential.id,
              openHost: () => {
                const { a, b } = createMemoryTransportPair();
                test.host.attach(b, credential);
                return a;
              },
            }),
        },
      ],
    },
  );
  const clients: AhpTestClient[] = [];
  const openWith = async (token: string) => {
    const client = await AhpTestClient.open(ahpAddress(test.url, token).url);
    clients.push(client);
    return client;
  };
  const open = (role: Role = 'driver') => openWith(tokens.get(role) ?? '');
  return {
    ...test,
    logged,
    warned,
    open,
    openDesigner: () => openWith(designer),
    async client(clientId, version = '0.9.0') {
      const client = await open();
      await client.initialize(clientId, [version]);
      return client;
    },
    async revoke(role) {
      await devices.remove(`the ${role}`);
    },
    async dispose() {
      await Promise.all(clients.map((client) => client.end()));
      gateway.dispose();
      await test.dispose();
      // Agents that are just being ended may still write.
      await rm(stateDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

/** For a host that has the ACP agents `moded` and `plain`, too. */
export async function withStubAgents(): Promise<Partial<HostOptions>> {
  const stateDir = await temporaryFolder();
  await writeStubAgents(stateDir);
  return { stateDir, agentSources: [new AcpAgents({ catalogue: [] })] };
}

/** A session of this client's own, with both of its channels subscribed. */
export async function ahpSession(client: AhpTestClient, provider = 'mock', params: object = {}) {
  const session = `${provider}:/${crypto.randomUUID()}`;
  await client.request('createSession', { channel: session, provider, ...params });
  return ahpSubscribe(client, session);
}

export async function ahpSubscribe(client: AhpTestClient, session: string) {
  const ofSession = (await client.request('subscribe', { channel: session })).snapshot;
  const chat: string = ofSession.state.defaultChat;
  const ofChat = (await client.request('subscribe', { channel: chat })).snapshot;
  return { session, chat, snapshots: { session: ofSession, chat: ofChat } };
}

export function ahpTurn(text: string, turnId: string = crypto.randomUUID()) {
  const message = { text, origin: { kind: 'user' } };
  return { type: 'chat/turnStarted', turnId, startedAt: new Date(0).toISOString(), message };
}
