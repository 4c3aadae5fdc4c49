import { AhpGateway } from '@agenthost/ahp';
import type { Host, HostLog, SocketRoute } from '@agenthost/host';
import { createMemoryTransportPair } from '@agenthost/rpc';
import { AHP_PATH, AHP_TOKEN_PARAMETER } from './ahpAddress.js';

export interface AhpRoute {
  readonly routes: readonly SocketRoute[];
  dispose(): void;
}

/** The gateway in front of this host, in the same process. */
export function openAhpRoute(host: Host, log: HostLog): AhpRoute {
  const gateway = new AhpGateway({ log });
  return {
    // A VS Code server can be given a host and a port, but no path.
    routes: [AHP_PATH, '/'].map((path) => ({
      path,
      tokenParameter: AHP_TOKEN_PARAMETER,
      onConnection: (transport, credential) =>
        gateway.accept(transport, {
          credentialId: credential.id,
          openHost: () => {
            const { a, b } = createMemoryTransportPair();
            host.attach(b, credential);
            return a;
          },
        }),
    })),
    dispose: () => gateway.dispose(),
  };
}
