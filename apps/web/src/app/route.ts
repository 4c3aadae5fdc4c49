import { type Observable, observable } from '@agenthost/sessions';

export type Route =
  | { readonly view: 'start' }
  | { readonly view: 'new' /** To begin with. */; readonly agent?: string }
  | { readonly view: 'session'; readonly sessionId: string; readonly chat?: string };

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
  if (sessionId) return { view: 'session', sessionId, ...(chat && { chat }) };
  const agent = parameters.get('new');
  if (agent === null) return { view: 'start' };
  return { view: 'new', ...(agent && { agent }) };
}

function format(next: Route): string {
  if (next.view === 'start') return '';
  if (next.view === 'new') return next.agent === undefined ? '#new' : `#${new URLSearchParams({ new: next.agent })}`;
  return `#${new URLSearchParams({ session: next.sessionId, ...(next.chat && { chat: next.chat }) })}`;
}
