import type { StartingMember } from '@agenthost/client';
import { type Observable, observable } from '@agenthost/sessions';
import { problemText } from '../app/problemText.js';

/** How the start of a session of several goes: a text says why it failed. */
export type StartState = 'starting' | { readonly problem: string };

const MAX_KEPT = 64;
const states = observable<ReadonlyMap<string, StartState>>(new Map());

/** What this page knows of sessions that it starts, by their URIs; of the others the host's list tells all there is. */
export const severalStarts: Observable<ReadonlyMap<string, StartState>> = states;

export function followStart({ session, started }: StartingMember): void {
  set(session, 'starting');
  started.then(
    () => set(session, undefined),
    (error: unknown) => set(session, { problem: problemText(error) }),
  );
}

function set(session: string, state: StartState | undefined): void {
  const next = new Map(states.value);
  next.delete(session);
  if (state !== undefined) next.set(session, state);
  states.set(new Map([...next].slice(-MAX_KEPT)));
}
