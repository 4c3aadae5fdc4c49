import type { ListSessionsParams, ListSessionsResult, Notification, SessionSummary } from '@agenthost/protocol';
import type { HostLog } from '../hostLog.js';
import type { BroadcastOptions } from '../state/broadcast.js';
import type { ClientConnection } from './clientConnection.js';
import { WatchWindows } from './watchWindows.js';

export type Clients = readonly ClientConnection[];

export interface SpaceAudienceOptions {
  readonly space: string;
  readonly list: (params: ListSessionsParams, space: string) => ListSessionsResult | Promise<ListSessionsResult>;
  readonly send: (notification: Notification, to: Clients) => void;
  readonly log: HostLog;
}

/** The clients, by what they want to hear of. The lists are replaced, never changed: frames on their way keep their receivers. */
interface Listening {
  /** Those that hear of all sessions. */
  readonly ofAll: Clients;
  /** Those that watch the newest ones, by how many. */
  readonly byLimit: ReadonlyMap<number, Clients>;
}

/** The clients of one space, and which of them is told what of its sessions. */
export class SpaceAudience {
  readonly #options: SpaceAudienceOptions;
  readonly #windows: WatchWindows;
  readonly #clients = new Set<ClientConnection>();
  /** With a read-only link: they hear of their session only. */
  readonly #linked = new Set<ClientConnection>();
  readonly #watching = new Set<ClientConnection>();
  /** Made when it is needed. */
  #listening: Listening | undefined;

  constructor(options: SpaceAudienceOptions) {
    this.#options = options;
    this.#windows = new WatchWindows({
      list: (params) => options.list(params, options.space),
      entered: (summary, limits) => {
        const { byLimit } = this.#now;
        this.#tellAdded(
          summary,
          limits.flatMap((limit) => byLimit.get(limit) ?? []),
        );
      },
      limits: () => this.#now.byLimit.keys(),
      log: options.log,
    });
  }

  get isEmpty(): boolean {
    return this.#clients.size + this.#linked.size === 0;
  }

  add(connection: ClientConnection): void {
    if (connection.shared) {
      this.#linked.add(connection);
      return;
    }
    this.#clients.add(connection);
    this.#listening = undefined;
    if (connection.watchLimit !== undefined && this.#watching.add(connection).size === 1) this.#windows.begin();
  }

  remove(connection: ClientConnection): void {
    this.#clients.delete(connection);
    this.#linked.delete(connection);
    this.#listening = undefined;
    if (this.#watching.delete(connection) && this.#watching.size === 0) this.#windows.end();
  }

  tell(notification: Notification, { subscribersOf, summary }: BroadcastOptions): void {
    const { send } = this.#options;
    this.#tellLinked(notification, subscribersOf);
    if (subscribersOf !== undefined) {
      const subscribers = [...this.#clients].filter(({ subscriptions }) => subscriptions.has(subscribersOf));
      send(notification, subscribers);
      return;
    }
    const { ofAll, byLimit } = this.#now;
    if (byLimit.size === 0) {
      send(notification, ofAll);
      return;
    }
    if (notification.type === 'notify/storageChanged') this.#watchAnew();
    const step = this.#windows.follow(notification, summary);
    const session = sessionOf(notification);
    const receivers = [...ofAll];
    const added = new Map<SessionSummary, ClientConnection[]>();
    for (const [limit, watchers] of byLimit) {
      const entered = step.entered(limit);
      // Told as added, it is told whole.
      const isWhole = entered !== undefined && entered.resource === session;
      if (step.hears(limit)) receivers.push(...watchers);
      else if (!isWhole) receivers.push(...watchers.filter(({ subscriptions }) => subscriptions.has(session)));
      if (entered) added.set(entered, [...(added.get(entered) ?? []), ...watchers]);
    }
    send(notification, receivers);
    for (const [entered, watchers] of added) this.#tellAdded(entered, watchers);
  }

  #tellLinked(notification: Notification, session = sessionOf(notification)): void {
    if (this.#linked.size === 0) return;
    const receivers = [...this.#linked].filter(({ shared }) => shared?.session === session);
    this.#options.send(notification, receivers);
  }

  #tellAdded(summary: SessionSummary, watchers: Clients): void {
    this.#options.send({ type: 'notify/sessionAdded', summary }, watchers);
  }

  get #now(): Listening {
    if (!this.#listening) {
      const byLimit = Map.groupBy(this.#clients, ({ watchLimit }) => watchLimit ?? 0);
      const ofAll = byLimit.get(0) ?? [];
      byLimit.delete(0);
      this.#listening = { ofAll, byLimit };
    }
    return this.#listening;
  }

  /** The sessions are others now. */
  #watchAnew(): void {
    this.#windows.end();
    this.#windows.begin();
  }
}

function sessionOf(notification: Notification): string {
  if (notification.type === 'notify/sessionAdded') return notification.summary.resource;
  return 'session' in notification ? notification.session : '';
}
