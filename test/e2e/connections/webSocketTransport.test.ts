import { createWebSocketTransport } from '@agenthost/client';
import { silentLog } from '@agenthost/host';
import { frameToText, type Transport } from '@agenthost/rpc';
import { transportContract } from '@agenthost/rpc/contract';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { OWNER } from '../../../packages/host/src/connection/credential.js';
import type { FrameTransport } from '../../../packages/host/src/connection/frameTransport.js';
import { Authenticator, digestOf } from '../../../packages/host/src/server/access/authenticator.js';
import { newToken } from '../../../packages/host/src/server/access/tokenFile.js';
import { HostServer } from '../../../packages/host/src/server/hostServer.js';
import { DEFAULT_GUEST_LIMITS } from '../../../packages/host/src/server/sockets/guestConnections.js';
import { DEFAULT_WEB_SOCKET_LIMITS } from '../../../packages/host/src/server/sockets/webSocketTransport.js';
import { EncodedFrame } from '../../../packages/host/src/state/delivery.js';

describe('WebSocket transports of client and host', () => {
  const token = newToken();
  const authenticator = new Authenticator();
  authenticator.setTokens([{ credential: OWNER, digest: digestOf(token) }]);
  const arrivals: ((transport: FrameTransport) => void)[] = [];
  const server = new HostServer({
    address: '127.0.0.1',
    port: 0,
    allowedOrigins: [],
    maxConnections: 100,
    guestLimits: DEFAULT_GUEST_LIMITS,
    webSocketLimits: DEFAULT_WEB_SOCKET_LIMITS,
    authenticator,
    health: () => undefined,
    onConnection: (transport) => arrivals.shift()?.(transport),
    log: silentLog,
  });
  let url: URL;

  beforeAll(async () => {
    url = await server.listen();
  });
  afterAll(() => server.close());

  for (const { name, run } of transportContract(createPair)) it(name, run);

  async function createPair() {
    const arrived = new Promise<FrameTransport>((resolve) => arrivals.push(resolve));
    const a = await createWebSocketTransport({ url, token });
    const b = asTransport(await arrived);
    return {
      a,
      b,
      dispose() {
        a.close();
        b.close();
      },
    };
  }
});

function asTransport(transport: FrameTransport): Transport {
  return {
    send: (frame) => transport.write([new EncodedFrame(frameToText(frame))]),
    onMessage: (listener) => transport.onMessage(listener),
    onClose: (listener) => transport.onClose(listener),
    close: (reason) => transport.close(reason),
  };
}
