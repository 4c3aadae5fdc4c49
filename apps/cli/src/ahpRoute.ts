import { AhpGateway } from '@agenthost/ahp';
import type { Host, HostLog, SocketRoute } from '@agenthost/host';
import { createMemoryTransportPair } from '@agenthost/rpc';
import { AHP_PATH, AHP_TOKEN_PARAMETER, type AhpAddress, ahpAddress } from './ahpAddress.js';

export interface AhpRoute {
  readonly routes: readonly SocketRoute[];
  address(url: URL, token: string): AhpAddress;
  dispose(): void;
}

/** The gateway in front of this host, in the same process. */
export function openAhpRoute(host: Host, log: HostLog): AhpRoute {
  const gateway = new AhpGateway({
    log,
    openHost: () => {
      const { a, b } = createMemoryTransportPair();
      host.attach(b);
      return a;
    },
  });
  return {
    // A server of VS Code can be told a host and a port, but no path.
    routes: [AHP_PATH, '/'].map((path) => ({
      path,
      tokenParameter: AHP_TOKEN_PARAMETER,
      onConnection: (transport, credentialId) => gateway.accept(transport, credentialId),
    })),
    address: (url, token) => ahpAddress(url, token),
    dispose: () => gateway.dispose(),
  };
}
