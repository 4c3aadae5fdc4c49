import type { ServerInfo, URI } from '@agenthost/protocol';
import type { RpcPeerOptions } from '@agenthost/rpc';
import type { AgentRegistry } from '../agents/agentRegistry.js';
import type { AgentInstallations } from '../agents/install/agentInstallations.js';
import type { AgentLogins } from '../agents/login/agentLogins.js';
import type { NativeSessions } from '../agents/native/nativeSessions.js';
import type { AuditTrail } from '../audit/auditTrail.js';
import type { HostLog } from '../hostLog.js';
import type { PushNotifications } from '../push/pushNotifications.js';
import type { Browse, CommandClient, VisibleSessions } from '../sessions/sessions.js';
import type { Delivery } from '../state/delivery.js';
import type { SequenceSource } from '../state/publisher.js';
import type { ReplayBuffer } from '../state/replayBuffer.js';
import type { RootStore } from '../state/rootStore.js';
import type { Terminals } from '../terminals/terminals.js';
import type { Webhooks } from '../webhooks/webhooks.js';
import type { ChangesResources } from './changesResources.js';
import type { ClientConnection } from './clientConnection.js';
import type { ClientRegistry } from './clientRegistry.js';
import type { Devices } from './devices.js';
import type { HostSessions } from './hostSessions.js';
import type { LoadFailures } from './loadFailures.js';

/** The services that connections use. */
export interface HostServices {
  readonly serverInfo: ServerInfo;
  readonly defaultDirectory: URI;
  readonly root: RootStore;
  /** All that a connection gets of the sessions: those of its space, or the one of its link. */
  readonly sessionsOf: (space: string, only?: URI) => VisibleSessions;
  readonly hostSessions: Pick<HostSessions, 'dispatch' | 'reject' | 'setProvider' | 'keeper'>;
  /** Shows a folder, of this machine or of another place. */
  readonly browse: (params: Parameters<Browse>[0], client: CommandClient) => ReturnType<Browse>;
  readonly agents: AgentRegistry;
  readonly installations: AgentInstallations;
  readonly push: PushNotifications;
  readonly audit: AuditTrail;
  readonly webhooks: Webhooks;
  readonly logins: AgentLogins;
  readonly terminals: Terminals;
  /** Conversations from terminals; absent where the host doesn't look for them. */
  readonly native: NativeSessions | undefined;
  readonly clients: ClientRegistry;
  readonly changes: ChangesResources;
  readonly delivery: Delivery;
  readonly replay: ReplayBuffer;
  readonly sequence: SequenceSource;
  /** Other hosts share the storage, which may be away for a while. */
  readonly isShared: boolean;
  /** Absent while the host does not listen. */
  readonly devices: Devices | undefined;
  readonly loadFailures: LoadFailures;
  readonly peerLimits: Partial<RpcPeerOptions>;
  readonly log: HostLog;
  readonly onConnectionClosed: (connection: ClientConnection) => void;
}
