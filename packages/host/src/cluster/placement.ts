import {
  type BrowseDirectoryResult,
  type Commands,
  type CreateSessionParams,
  ERROR_CODE,
  parseSessionUri,
  type URI,
} from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import type { CommandClient } from '../sessions/sessions.js';
import { isSamePlace, placeOf, withoutPlace } from '../storage/placeUri.js';
import type { Cluster } from './cluster.js';
import type { ClusterAgents, HasAgent } from './clusterAgents.js';
import { clientOf } from './followedSession.js';
import type { KnownHost } from './hostBeat.js';
import type { CommandParams } from './links/linkMessages.js';
import type { Links } from './links/links.js';

export interface PlacementOptions {
  readonly cluster: Pick<Cluster, 'hostId' | 'look' | 'place' | 'places' | 'takersAt' | 'running'>;
  readonly agents: Pick<ClusterAgents, 'at'>;
  readonly links: Pick<Links, 'to'>;
  /** For sessions without one of their own: a `file:` URI. */
  readonly defaultDirectory: URI;
}

/** Places that a refusal names. */
const MAX_NAMED = 5;
const RANK: Readonly<Record<Exclude<HasAgent, 'none'>, number>> = { available: 0, unavailable: 1, unknown: 1 };

interface Routed<T> {
  readonly command: Omit<CommandParams, 'as'>;
  readonly client: CommandClient;
  /** Where this host is the one. */
  readonly here: () => Promise<T>;
}

/**
 * Which host makes a session, and which one shows a folder: one of the place that the folder's URI names (`file://PLACE/path`), or
 * of this host's place.
 */
export class Placement {
  readonly #options: PlacementOptions;
  /** Hosts that are equally good take turns. */
  #turn = 0;

  constructor(options: PlacementOptions) {
    this.#options = options;
  }

  async create(
    params: CreateSessionParams,
    client: CommandClient,
    here: (params: CreateSessionParams) => Promise<void>,
  ): Promise<void> {
    const { workingDirectory = this.#options.defaultDirectory } = params;
    const place = this.#placeOf(workingDirectory);
    const { provider } = parseSessionUri(params.session) ?? {};
    const hosts = await this.#leastBusy(await this.#able(place, provider, client.space));
    const there = { ...params, workingDirectory: withoutPlace(workingDirectory) };
    const command = { method: 'createSession', params: there };
    await this.#atOneOf(hosts, place, {
      command,
      client,
      here: () => here(params.workingDirectory === undefined ? params : there),
    });
  }

  /** The entries have URIs of the form that was asked for, so that a client gets to the same place with them. */
  async browse(
    params: Commands['browseDirectory']['params'],
    client: CommandClient,
    here: () => Promise<BrowseDirectoryResult>,
  ): Promise<BrowseDirectoryResult> {
    const place = this.#placeOf(params.uri);
    if (place === this.#options.cluster.place) return here();
    const hosts = await this.#able(place, params.provider);
    return this.#atOneOf(hosts, place, { command: { method: 'browseDirectory', params }, client, here });
  }

  #placeOf(uri: URI): string {
    const own = this.#options.cluster.place;
    const named = placeOf(uri) ?? own;
    return isSamePlace(named, own) ? own : named;
  }

  /** The hosts of that place that can run the agent best. Rejects with the error to answer when nobody is there. */
  async #able(place: string, provider?: string, space?: string): Promise<readonly KnownHost[]> {
    const { cluster, agents } = this.#options;
    // This host says itself what is wrong.
    if (place === cluster.place && cluster.takersAt(place, space).length === 0) return [];
    // A host may have begun since the last look.
    if (cluster.takersAt(place, space).length === 0) await cluster.look();
    const takers = cluster.takersAt(place, space);
    if (takers.length === 0) throw new RpcError(ERROR_CODE.notFound, nobodyAt(place, cluster.places));
    if (provider === undefined) return takers;
    const ranked = takers.flatMap((host) => {
      const has = agents.at(host.id, provider);
      return has === 'none' ? [] : { host, rank: RANK[has] };
    });
    const best = Math.min(...ranked.map(({ rank }) => rank));
    const able = ranked.filter(({ rank }) => rank === best).map(({ host }) => host);
    if (able.length === 0) throw new RpcError(ERROR_CODE.noAgentForProvider, this.#noAgentAt(place, provider));
    return able;
  }

  async #leastBusy(hosts: readonly KnownHost[]): Promise<readonly KnownHost[]> {
    const { cluster } = this.#options;
    if (hosts.length < 2) return hosts;
    // A database that is away is noticed when the session is stored.
    const running = await cluster.running(hosts.map(({ id }) => id)).catch(() => new Map<string, number>());
    const load = ({ id }: KnownHost) => running.get(id) ?? 0;
    const isOther = ({ id }: KnownHost) => Number(id !== cluster.hostId);
    const first = this.#turn++ % hosts.length;
    const inTurn = [...hosts.slice(first), ...hosts.slice(0, first)];
    return inTurn.toSorted((a, b) => load(a) - load(b) || isOther(a) - isOther(b));
  }

  /** At the first of these hosts that can be reached and is not about to stop; here, where there are none. */
  async #atOneOf<T>(hosts: readonly KnownHost[], place: string, { command, client, here }: Routed<T>): Promise<T> {
    const { cluster, links } = this.#options;
    if (hosts.length === 0) return here();
    let failure: unknown;
    for (const { id } of hosts) {
      if (id === cluster.hostId) return here();
      try {
        const link = await links.to(id);
        const params: CommandParams = { ...command, as: clientOf(client) };
        return (await link.request('link.command', params)) as T;
      } catch (error) {
        if (error instanceof RpcError && error.code !== ERROR_CODE.tooManyRequests) throw error;
        failure = error;
      }
    }
    const message = `the hosts of the place ${place} can't be reached right now: try again`;
    throw failure instanceof RpcError ? failure : new RpcError(ERROR_CODE.tooManyRequests, message, { cause: failure });
  }

  #noAgentAt(place: string, provider: string): string {
    const { cluster, agents } = this.#options;
    const has = (other: string) => cluster.takersAt(other).some(({ id }) => agents.at(id, provider) === 'available');
    const others = cluster.places.filter((other) => other !== place && has(other));
    const none = `no agent for provider ${provider}`;
    if (others.length === 0) return none;
    return `${none} at the place ${place}: install it there, or choose a folder of another place (${named(others)})`;
  }
}

function nobodyAt(place: string, others: readonly string[]): string {
  const start = `the place ${place.slice(0, 200)} has no host that takes sessions now: start one on a machine that has the folder`;
  return others.length === 0 ? start : `${start}, or choose a folder of another place (${named(others)})`;
}

function named(places: readonly string[]): string {
  return places.length > MAX_NAMED ? `${places.slice(0, MAX_NAMED).join(', ')} and others` : places.join(', ');
}
