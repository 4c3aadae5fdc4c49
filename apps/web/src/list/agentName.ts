import type { PagePlace } from '../app/pagePlace.js';

export function agentName(place: PagePlace | undefined, sessionType: string): string {
  return place?.provider.sessionTypes.find(({ id }) => id === sessionType)?.label ?? sessionType;
}
