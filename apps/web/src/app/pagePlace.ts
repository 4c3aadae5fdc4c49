import type { ConnectionState, Devices, HostPush, NativeClient, WebhookClient } from '@agenthost/client';
import type { Role, SharedSession } from '@agenthost/protocol';
import type { AgentHostProvider, Observable, SessionsProvider } from '@agenthost/sessions';

/** A place with sessions: a host, or another sessions provider. */
export interface PagePlace {
  /** The provider's id. */
  readonly id: string;
  readonly name: string;
  readonly provider: SessionsProvider;
  /** The role of this page there. */
  readonly role: Observable<Role>;
  /** Since when the shown state may be outdated, in milliseconds since 1970; undefined while it is connected. */
  readonly staleSince: Observable<number | undefined>;
}

export interface PageHost extends PagePlace {
  readonly url: string;
  /** The host that serves this page. */
  readonly isOwn: boolean;
  readonly connection: Observable<ConnectionState>;
  readonly provider: AgentHostProvider;
  readonly push: HostPush;
  /** What a read-only link shows, once it is connected. */
  readonly shared: () => SharedSession | undefined;
  /** The devices that may reach it, for its owner. */
  readonly devices: Devices;
  /** The programs that it tells of events, for its owner. */
  readonly webhooks: WebhookClient;
  /** Conversations that were begun in a terminal, for its owner. */
  readonly native: NativeClient;
}

/** A host has a connection, agents and folders; other places have none of these. */
export function asHost(place: PagePlace | undefined): PageHost | undefined {
  return place && 'connection' in place ? (place as PageHost) : undefined;
}
