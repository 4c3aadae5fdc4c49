import type { Author, ClientAction, URI } from '@agenthost/protocol';
import type { Lookers } from '../state/publisher.js';
import type { BindParams, BindResult, DispatchParams, LinkClient, ViewersParams } from './links/linkMessages.js';
import type { Links } from './links/links.js';
import type { LinkToolsLeftParams, LinkToolsParams } from './links/linkTools.js';

/** The host that owns a session, as a mirror of it sees that host. */
export interface SessionOwner {
  /** Clients have connected: their routes, in the same order. `undefined` when the owner knows none, or is gone. */
  bind(clients: readonly string[]): Promise<readonly number[] | undefined>;
  dispatch(clientSeq: number, action: ClientAction, as: LinkClient, route: number | undefined): void;
  viewers(authors: readonly Author[], lookers: Lookers): void;
  /** Its answer, or the error to answer. */
  setTools(params: Omit<LinkToolsParams, 'uri'>): Promise<unknown>;
  toolsLeft(params: Omit<LinkToolsLeftParams, 'uri'>): void;
}

/** Over the link to it. `onGone` is called when it can't be reached. */
export function sessionOwner(links: Links, hostId: string, uri: URI, onGone: () => void): SessionOwner {
  const send = (method: string, params: DispatchParams | ViewersParams | LinkToolsLeftParams) =>
    void links
      .to(hostId)
      .then((link) => link.notify(method, params))
      .catch(onGone);
  return {
    bind: async (clients) => {
      const params: BindParams = { uri, clients };
      try {
        const link = await links.to(hostId);
        return link.hasRoutes ? ((await link.request('link.bind', params)) as BindResult).routes : undefined;
      } catch {
        onGone();
        return undefined;
      }
    },
    dispatch: (clientSeq, action, as, route) =>
      send('link.dispatch', { uri, clientSeq, action, as, ...(route !== undefined && { route }) }),
    setTools: async (params) => (await links.to(hostId)).request('link.tools', { uri, ...params }),
    toolsLeft: (params) => send('link.toolsLeft', { uri, ...params }),
    viewers: (authors, lookers) => send('link.viewers', { uri, authors, lookers }),
  };
}
