export interface PlanStep {
  readonly text: string;
  readonly state: 'done' | 'current' | 'open';
}

/** More than people follow; the whole plan is among the session's files. */
const MOST_STEPS = 200;
const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+\[([ xX])\]\s+(.*)$/;
const IN_PROGRESS = /\s*\(in progress\)\s*$/i;

/** The checklist in a plan. A plan without one has no steps. Without a step in progress, the first open one is the current one. */
export function planSteps(markdown: string): readonly PlanStep[] {
  const steps: PlanStep[] = [];
  for (const line of markdown.split('\n')) {
    const [, mark, text] = ITEM.exec(line) ?? [];
    if (mark === undefined || text === undefined) continue;
    const state = mark !== ' ' ? 'done' : IN_PROGRESS.test(text) ? 'current' : 'open';
    steps.push({ text: text.replace(IN_PROGRESS, ''), state });
    if (steps.length === MOST_STEPS) break;
  }
  if (steps.some(({ state }) => state === 'current')) return steps;
  const next = steps.findIndex(({ state }) => state === 'open');
  return next === -1 ? steps : steps.with(next, { ...(steps[next] as PlanStep), state: 'current' });
}
