import type { ChangesSince } from '@agenthost/protocol';
import type { ReviewPlace } from './reviewContext.js';

export function isSame(a: ReviewPlace | undefined, b: ReviewPlace): boolean {
  return a?.path === b.path && a.hunk === b.hunk && b.line === undefined;
}

/** The focus goes to the change, or to its file while there is none. */
export function show(id: string, { hunk, line }: ReviewPlace, count: number): void {
  const target = document.getElementById(`${id}-${Math.min(hunk, count - 1)}`) ?? document.getElementById(id);
  if (!target) return;
  target.focus({ preventScroll: true });
  const found = line === undefined ? undefined : target.querySelector('.at');
  (found ?? target).scrollIntoView({ block: found ? 'nearest' : 'start' });
}

export function noneText(
  problem: string | undefined,
  isLoaded: boolean,
  since: ChangesSince,
  base: string | undefined,
): string {
  if (problem !== undefined) return problem;
  if (!isLoaded) return 'Looking for changes…';
  if (since === 'lastTurn') return 'No changes since the last turn.';
  return since === 'session' ? 'No changes in this session.' : `No changes against ${base ?? 'the base'}.`;
}
