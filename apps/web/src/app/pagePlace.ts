import type { ConnectionState } from '@agenthost/client';
import type { Role } from '@agenthost/protocol';
import type { AgentHostProvider, Observable, SessionsProvider } from '@agenthost/sessions';

/** Where sessions are: a host, or whatever else has some. */
export interface PagePlace {
  /** That of its provider. */
  readonly id: string;
  readonly name: string;
  readonly provider: SessionsProvider;
  /** What it lets this page do. */
  readonly role: Observable<Role>;
  /** Since when what is shown may be out of date, in milliseconds since 1970; nothing while it can be reached. */
  readonly staleSince: Observable<number | undefined>;
}

export interface PageHost extends PagePlace {
  readonly url: string;
  /** The one that serves this page. */
  readonly isOwn: boolean;
  readonly connection: Observable<ConnectionState>;
  readonly provider: AgentHostProvider;
}

/** A host has a connection, agents and folders; other places have none of these. */
export function asHost(place: PagePlace | undefined): PageHost | undefined {
  return place && 'connection' in place ? (place as PageHost) : undefined;
}
