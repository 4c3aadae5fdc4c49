import type { AgentRegistry } from './agents/agentRegistry.js';
import { AgentInstallations } from './agents/install/agentInstallations.js';
import { AgentInstaller } from './agents/install/agentInstaller.js';
import { AgentUpdates } from './agents/install/agentUpdates.js';
import { AgentLogins } from './agents/login/agentLogins.js';
import type { ClientRegistry } from './connection/clientRegistry.js';
import type { HostSessions } from './connection/hostSessions.js';

interface AgentServicesOptions {
  readonly agents: AgentRegistry;
  readonly stateDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clients: ClientRegistry;
  readonly sessions: HostSessions;
}

/** What a host does for its agents beside their sessions: installing, updating, logging in. */
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
  return { installations, logins, updates };
}
