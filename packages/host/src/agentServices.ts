import type { AgentRegistry } from './agents/agentRegistry.js';
import { AgentInstallations } from './agents/install/agentInstallations.js';
import { AgentInstaller } from './agents/install/agentInstaller.js';
import { AgentUpdates } from './agents/install/agentUpdates.js';
import { AgentLogins } from './agents/login/agentLogins.js';
import { agentEnvironment } from './agents/orphans/agentEnvironment.js';
import { orphanMark } from './agents/orphans/orphanAgents.js';
import type { ClientConnection } from './connection/clientConnection.js';
import type { ClientRegistry } from './connection/clientRegistry.js';
import type { HostSessions } from './connection/hostSessions.js';
import { Terminals } from './terminals/terminals.js';

interface AgentServicesOptions {
  readonly agents: AgentRegistry;
  readonly stateDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clients: ClientRegistry;
  readonly sessions: HostSessions;
}

/** What a host does beside its sessions: installing agents, updating them, logging in to them; terminals. */
export function agentServices({ agents: registry, stateDir, env, clients, sessions }: AgentServicesOptions) {
  const installations = new AgentInstallations({
    registry,
    installer: new AgentInstaller({ stateDir, env }),
    onProgress: (provider, progress) =>
      clients.broadcast(
        { type: 'notify/progress', token: `installAgent/${provider}`, ...progress },
        { space: undefined },
      ),
  });
  const onChange = (provider: string, isLoggedIn: boolean) => sessions.hub.loginChanged(provider, isLoggedIn);
  const logins = new AgentLogins({ registry, stateDir, onChange });
  const updates = new AgentUpdates({ registry, stateDir, env });
  const terminals = new Terminals({
    env: { ...agentEnvironment(env), ...orphanMark(stateDir) },
    // Only connections attach to terminals.
    send: (notification, to) => clients.send(notification, to as readonly ClientConnection[]),
    // Output has offsets: whether it comes before an answer does not matter.
    print: (notification, to) => clients.sendAtOnce(notification, to as readonly ClientConnection[]),
    // A read-only link shows no terminal.
    subscribersOf: (session) =>
      [...clients.all].filter(({ shared, subscriptions }) => !shared && subscriptions.has(session)),
  });
  const clientGone = (connection: ClientConnection) => {
    logins.clientGone(connection);
    terminals.clientGone(connection);
  };
  return { installations, logins, updates, terminals, clientGone };
}
