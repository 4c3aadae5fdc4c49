import { type Observable, observable } from '@agenthost/sessions';

export type Route =
  | { readonly view: 'start' }
  /** A conversation from a terminal of a host. */
  | { readonly view: 'native'; readonly host: string; readonly id: string }
  | { readonly view: 'new' /** To begin with. */; readonly agent?: string }
  | {
      readonly view: 'session';
      readonly sessionId: string;
      readonly chat?: string /** Words to scroll to. */;
      readonly find?: string;
      /** The changes are shown in place of the conversation. */
      readonly review?: true;
      /** All sessions with the same prompt are shown side by side. */
      readonly compare?: true;
    };

const route = observable<Route>(parse(location.hash));

/** The view is in the address: it survives a reload, and Back works. */
export const currentRoute: Observable<Route> = route;

export function goTo(next: Route, options: { readonly replace?: boolean } = {}): void {
  const hash = format(next);
  if (hash !== location.hash) {
    if (options.replace) history.replaceState(null, '', hash || location.pathname);
    else history.pushState(null, '', hash || location.pathname);
  }
  route.set(next);
}

window.addEventListener('popstate', () => route.set(parse(location.hash)));
window.addEventListener('hashchange', () => route.set(parse(location.hash)));

function parse(hash: string): Route {
  const parameters = new URLSearchParams(hash.slice(1));
  const sessionId = parameters.get('session');
  const chat = parameters.get('chat');
  const find = parameters.get('find');
  const review = parameters.has('review') && { review: true as const };
  const compare = parameters.has('compare') && { compare: true as const };
  if (sessionId)
    return { view: 'session', sessionId, ...(chat && { chat }), ...(find && { find }), ...review, ...compare };
  const [native, host] = [parameters.get('native'), parameters.get('host')];
  if (native && host) return { view: 'native', host, id: native };
  const agent = parameters.get('new');
  if (agent === null) return { view: 'start' };
  return { view: 'new', ...(agent && { agent }) };
}

function format(next: Route): string {
  if (next.view === 'start') return '';
  if (next.view === 'new') return next.agent === undefined ? '#new' : `#${new URLSearchParams({ new: next.agent })}`;
  if (next.view === 'native') return `#${new URLSearchParams({ native: next.id, host: next.host })}`;
  const { sessionId: session, chat, find, review, compare } = next;
  const words = {
    session,
    ...(chat && { chat }),
    ...(find && { find }),
    ...(review && { review: '' }),
    ...(compare && { compare: '' }),
  };
  return `#${new URLSearchParams(words)}`;
}
