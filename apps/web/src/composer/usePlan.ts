import type { SessionState } from '@agenthost/protocol';
import { artifactTimes } from '@agenthost/protocol/internal';
import type { ChatModel } from '@agenthost/sessions';
import { useEffect, useState } from 'react';
import { type PlanStep, planSteps } from './planSteps.js';

export interface Plan {
  readonly steps: readonly PlanStep[];
  readonly updatedAt: number;
}

/** The plan is the first artifact of a session; a longer one is not a list of steps. */
const MOST_BYTES = 64 * 1024;

/** The agent's plan, read again whenever the host says that it has changed; `undefined` without one, or without steps. */
export function usePlan(model: ChatModel, state: SessionState | undefined): Plan | undefined {
  const updatedAt = state && artifactTimes(state.summary).plan;
  const [plan, setPlan] = useState<Plan>();
  useEffect(() => {
    if (updatedAt === undefined || !model.supports.has('artifacts')) {
      setPlan(undefined);
      return;
    }
    let isWanted = true;
    const read = async () => {
      const [first] = await model.listArtifacts(1);
      if (first?.kind !== 'plan') return undefined;
      const content = await model.fetchContent(first.uri, { range: { offset: 0, length: MOST_BYTES } });
      return planSteps(content.text());
    };
    read().then(
      (steps) => isWanted && setPlan(steps && steps.length > 0 ? { steps, updatedAt } : undefined),
      // The plan stays as it was: it is read again with its next change.
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, [model, updatedAt]);
  return plan;
}
