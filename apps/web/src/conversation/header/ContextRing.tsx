import type { ModelInfo, SessionState } from '@agenthost/protocol';

const RADIUS = 6;
const ROUND = 2 * Math.PI * RADIUS;
const NEARLY_FULL = 0.8;
const FULL = 0.95;

interface ContextRingProps {
  readonly state: SessionState | undefined;
  readonly models: readonly ModelInfo[];
  /** Only the ring and the number. */
  readonly isShort?: boolean;
}

/** How full the model's context was at the last answer; only a number if its capacity is unknown. */
export function ContextRing({ state, models, isShort = false }: ContextRingProps) {
  const context = contextOf(state, models);
  if (!context) return null;
  const { used, holds } = context;
  if (!holds) return <span className="stat num">{thousands(used)} tokens</span>;
  const part = Math.min(1, used / holds);
  const words = `${thousands(used)} of ${thousands(holds)}`;
  return (
    <span className="stat num" title={`${words} tokens of the context are used`}>
      <svg width="16" height="16" viewBox="0 0 16 16" fill="none" role="img" aria-label={`Context: ${words} tokens`}>
        <circle cx="8" cy="8" r={RADIUS} stroke="var(--line-2)" strokeWidth="2" />
        <circle
          cx="8"
          cy="8"
          r={RADIUS}
          stroke={part >= FULL ? 'var(--error)' : part >= NEARLY_FULL ? 'var(--needs-solid)' : 'var(--text-2)'}
          strokeWidth="2"
          strokeDasharray={`${part * ROUND} ${ROUND}`}
          transform="rotate(-90 8 8)"
        />
      </svg>
      {Math.round(part * 100)} %{!isShort && ' of context'}
    </span>
  );
}

/** The tokens in the context, and its capacity if it is known; `undefined` if the agent does not report them. */
export function contextOf(
  state: SessionState | undefined,
  models: readonly ModelInfo[],
): { readonly used: number; readonly holds: number | undefined } | undefined {
  const usage = state?.activeTurn?.usage ?? state?.turns.findLast((turn) => turn.usage)?.usage;
  const used = usage?.contextUsed ?? (usage?.inputTokens ? usage.inputTokens + (usage.outputTokens ?? 0) : 0);
  if (!usage || !used) return undefined;
  return { used, holds: usage.contextSize ?? modelOf(models, usage.model ?? state?.summary.model)?.maxContextWindow };
}

/** An agent with one model uses it, whether it was chosen or not. */
export function modelOf(models: readonly ModelInfo[], id: string | undefined): ModelInfo | undefined {
  return models.find((model) => model.id === id) ?? (models.length === 1 ? models[0] : undefined);
}

function thousands(count: number): string {
  return count < 1000 ? String(count) : `${Math.round(count / 1000)}k`;
}
