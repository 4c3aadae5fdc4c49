import type { URI } from '@agenthost/protocol';
import { DEFAULT_SPACE } from '@agenthost/protocol/internal';
import type { Session } from '../sessions/session.js';
import type { SessionHub } from '../sessions/sessionHub.js';
import { notFound } from '../sessions/sessionLoader.js';
import type { HandedOver } from '../sessions/sessionStore.js';
import type { Publisher, SequenceSource } from '../state/publisher.js';
import { TIMES } from './clusterSessionsOptions.js';
import { FollowedSession } from './followedSession.js';
import type { LinkEvents } from './links/link.js';
import type { FollowParams, FollowResult } from './links/linkMessages.js';
import type { Links } from './links/links.js';
import { sessionOwner } from './sessionOwner.js';
import { within } from './within.js';

export interface FollowedSessionsOptions {
  readonly hub: Pick<SessionHub, 'spaceOf'>;
  readonly links: Links;
  readonly publisher: Publisher;
  readonly sequence: SequenceSource;
  /** Finds the host of a session, or makes it this one. */
  readonly open: (uri: URI) => Promise<unknown>;
}

interface Followed {
  readonly session: FollowedSession;
  readonly hostId: string;
}

/** The sessions that this host mirrors, because it has clients of them and another host owns them. */
export class FollowedSessions {
  readonly #options: FollowedSessionsOptions;
  readonly #followed = new Map<URI, Followed>();
  readonly #following = new Map<URI, PromiseWithResolvers<FollowedSession> & { readonly hostId: string }>();
  /** Their owner has given them to another host, which is looked for. */
  readonly #moving = new Map<URI, FollowedSession>();
  readonly #sweep: NodeJS.Timeout;

  constructor(options: FollowedSessionsOptions) {
    this.#options = options;
    this.#sweep = setInterval(() => this.#unfollowIdle(), TIMES.sweepMs).unref();
  }

  dispose(): void {
    clearInterval(this.#sweep);
    this.endIf(() => true);
    for (const [uri, session] of this.#moving) this.#giveUp(uri, session);
  }

  get(uri: URI): FollowedSession | undefined {
    return this.#followed.get(uri)?.session;
  }

  ownerOf(uri: URI): string | undefined {
    return this.#followed.get(uri)?.hostId;
  }

  /** Clients of this host look at it, and it has no owner right now. */
  moving(uri: URI): FollowedSession | undefined {
    return this.#moving.get(uri);
  }

  acceptedFrom(key: string, wanted: readonly URI[]): Record<URI, readonly number[]> {
    const all = [...this.#followed].map(([uri, { session }]) => [uri, session.acceptedFrom(key)] as const);
    return Object.fromEntries(all.filter(([uri, recent]) => recent.length > 0 || wanted.includes(uri)));
  }

  /** What comes over the link to that host. */
  eventsOf(
    hostId: string,
  ): Pick<LinkEvents, 'followed' | 'action' | 'settled' | 'dropped' | 'moved' | 'callTool' | 'closed'> {
    const mirrorOf = (uri: URI) => this.#mirrorOf(hostId, uri);
    return {
      followed: (uri, result) => this.#begin(hostId, uri, result),
      action: (uri, envelope) => mirrorOf(uri)?.receive(envelope),
      settled: ({ uri, client, envelope, route }) => mirrorOf(uri)?.settle(client, envelope, route),
      dropped: ({ uri, client, clientSeq, route }) => mirrorOf(uri)?.dropped(client, clientSeq, route),
      moved: (uri, isWhole) => {
        const session = mirrorOf(uri);
        if (!session) return;
        this.#followed.delete(uri);
        this.#move(session, isWhole);
      },
      callTool: (params, signal) => mirrorOf(params.uri)?.called(params, signal),
      closed: () => {
        this.endIf((_, owner) => owner === hostId);
        for (const one of this.#following.values())
          if (one.hostId === hostId) one.reject(new Error('the link was cut'));
      },
    };
  }

  /** Asks that host for it, which owns it as far as is known. */
  async follow(uri: URI, hostId: string): Promise<FollowedSession> {
    // Somebody who looked for the owner at the same time was faster: following again would cut its clients off.
    const already = this.#mirrorOf(hostId, uri) ?? this.#following.get(uri)?.promise;
    if (already) return already;
    const waiting = { ...Promise.withResolvers<FollowedSession>(), hostId };
    this.#following.set(uri, waiting);
    waiting.promise.catch(() => {});
    const { links, hub } = this.#options;
    try {
      const link = await links.to(hostId);
      const space = await within(TIMES.followMs, Promise.resolve(hub.spaceOf(uri)));
      if (space === undefined) throw notFound(uri);
      const params: FollowParams = { uri, space, ...(this.#moving.has(uri) && { goesOn: true }) };
      await link.request('link.follow', params, { timeoutMs: TIMES.followMs });
      return await waiting.promise;
    } catch (error) {
      waiting.reject(error);
      throw error;
    } finally {
      this.#following.delete(uri);
    }
  }

  /** This host has it now. Those who looked at it before go on there. */
  continueHere(session: Session): Session {
    const moving = this.#moving.get(session.uri);
    if (!moving) return session;
    if (!moving.continueHere(session, session.told())) moving.end();
    this.#moving.delete(session.uri);
    return session;
  }

  /** This host gives it to another one: its clients here stay connected. */
  takeOver({ uri, state, space, accepted }: Session, { clients, incarnation }: HandedOver): void {
    if (clients.length === 0) return;
    const { publisher, sequence } = this.#options;
    const begin: FollowResult = { state, incarnation, accepted: accepted.entries() };
    const session = new FollowedSession({ uri, space, publisher, sequence }, begin);
    session.adopt(clients);
    this.#move(session, true);
  }

  endIf(isOver: (uri: URI, hostId: string) => boolean): void {
    for (const [uri, { hostId }] of this.#followed) if (isOver(uri, hostId)) this.#end(uri);
  }

  /** It does not exist any more. */
  removed(uri: URI): void {
    const session = this.get(uri) ?? this.#moving.get(uri);
    this.#followed.delete(uri);
    this.#moving.delete(uri);
    session?.removed();
  }

  /** What comes late from a host that had the session before is of no use. */
  #mirrorOf(hostId: string, uri: URI): FollowedSession | undefined {
    const followed = this.#followed.get(uri);
    return followed?.hostId === hostId ? followed.session : undefined;
  }

  #end(uri: URI): void {
    const session = this.get(uri);
    this.#followed.delete(uri);
    session?.end();
  }

  #begin(hostId: string, uri: URI, result: FollowResult): void {
    const waiting = this.#following.get(uri);
    if (waiting?.hostId !== hostId) return;
    this.#end(uri);
    const { publisher, sequence, links } = this.#options;
    const owner = sessionOwner(links, hostId, uri, () => {
      // It may have gone on at another host since, which this one knows nothing of.
      if (this.#mirrorOf(hostId, uri) === session) this.#end(uri);
    });
    const moving = this.#moving.get(uri);
    this.#moving.delete(uri);
    const isSame = moving?.continueAt(owner, result) === true;
    if (!isSame) moving?.end();
    const { space = DEFAULT_SPACE } = result;
    const fresh = () => new FollowedSession({ uri, space, publisher, sequence, owner }, result);
    const session: FollowedSession = isSame ? moving : fresh();
    this.#followed.set(uri, { session, hostId });
    waiting.resolve(session);
  }

  /** Looks for the new owner. `isWhole`: all that was told is stored, so that clients may be able to stay. */
  #move(session: FollowedSession, isWhole: boolean): void {
    const { uri } = session;
    if (session.isUnused || !isWhole || !session.leaveOwner()) {
      session.end();
      return;
    }
    this.#moving.set(uri, session);
    const giveUp = () => this.#giveUp(uri, session);
    within(TIMES.patienceMs, this.#options.open(uri)).then(giveUp, giveUp);
  }

  /** Its clients come back, and find it then or not. */
  #giveUp(uri: URI, session: FollowedSession): void {
    if (this.#moving.get(uri) !== session) return;
    this.#moving.delete(uri);
    session.end();
  }

  #unfollowIdle(): void {
    const now = performance.now();
    this.#followed.forEach(({ session, hostId }, uri) => {
      if (!session.isUnused || now - session.lastUsed < TIMES.idleMs) return;
      this.#end(uri);
      void this.#options.links
        .to(hostId)
        .then((link) => link.notify('link.unfollow', { uri }))
        .catch(() => {});
    });
  }
}
