import { type ActiveTurn, type Turn, type TurnStep, turnSteps } from '@agenthost/protocol';
import { isOpenStep } from '@agenthost/protocol/internal';
import { useMemo, useRef, useState } from 'react';
import { problemText } from '../../app/problemText.js';
import { useChat } from '../chatContext.js';

export interface TurnSteps {
  /** In order; those before the last gap belong to calls that still run. */
  readonly steps: readonly TurnStep[];
  /** How many can be loaded. */
  readonly earlier: number;
  readonly isLoading: boolean;
  readonly problem: string | undefined;
  load(): void;
}

/**
 * The shown steps of a turn: those in its state, and earlier ones once the user asked for some. From then on steps that leave
 * the state of a running turn stay here.
 */
export function useTurnSteps(turn: ActiveTurn | Turn): TurnSteps {
  const { earlierSteps } = useChat();
  const [loaded, setLoaded] = useState<ReadonlyMap<number, TurnStep>>();
  const [isLoading, setLoading] = useState(false);
  const [problem, setProblem] = useState<string>();
  const seen = useRef(new Map<number, TurnStep>());
  const steps = useMemo(() => {
    const held = turnSteps(turn);
    if (!loaded) return held;
    for (const step of held) seen.current.set(step.index, step);
    const isHeld = new Set(held.map(({ index }) => index));
    return (
      [...new Map([...loaded, ...seen.current]).values()]
        // A call that was open and has left the state ended meanwhile, unseen by this page: it has to be loaded again.
        .filter((step) => isHeld.has(step.index) || !isOpenStep(step))
        .sort((a, b) => a.index - b.index)
    );
  }, [turn, loaded]);
  const earlier = endOfGap(steps);
  const load = async () => {
    if (isLoading) return;
    setLoading(true);
    try {
      const page = await earlierSteps(turn, earlier);
      setLoaded((before) => new Map([...page.steps.map((step) => [step.index, step] as const), ...(before ?? [])]));
      setProblem(undefined);
    } catch (error) {
      setProblem(problemText(error));
    } finally {
      setLoading(false);
    }
  };
  return { steps, earlier, isLoading, problem, load: () => void load() };
}

/** The position from which on there is no gap. */
function endOfGap(steps: readonly TurnStep[]): number {
  const last = steps.findLastIndex(({ index }, at) => at > 0 && steps[at - 1]?.index !== index - 1);
  return steps[Math.max(last, 0)]?.index ?? 0;
}
