import type { PageHost } from '../app/pageHosts.js';

export function agentName(host: PageHost | undefined, sessionType: string): string {
  return host?.provider.sessionTypes.find(({ id }) => id === sessionType)?.label ?? sessionType;
}
