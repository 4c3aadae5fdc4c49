import type { TurnSteps } from './useTurnSteps.js';

/** At the top of a turn with more steps than are shown. */
export function EarlierSteps({ earlier, isLoading, problem, load }: Omit<TurnSteps, 'steps'>) {
  if (earlier === 0) return null;
  return (
    <div className="more">
      {problem !== undefined && <span className="num">{problem}</span>}
      <button type="button" className="btn quiet sm" onClick={load} disabled={isLoading}>
        {isLoading ? 'Loading' : `Show earlier steps (${earlier.toLocaleString()})`}
      </button>
    </div>
  );
}
