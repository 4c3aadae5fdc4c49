import type { AcpTurn } from './acpTurn.js';

export interface TurnSilenceOptions {
  /** How long the agent may be silent in a turn. */
  readonly limitMs: number;
  /** The same while the agent runs a tool. */
  readonly toolLimitMs: number;
  /** Called once. */
  onSilent(isInTool: boolean): void;
}

/** Notices when an agent was silent in a turn for too long. While a question is open, there is no limit. */
export function watchSilence(
  turn: AcpTurn,
  { limitMs, toolLimitMs, onSilent }: TurnSilenceOptions,
): { readonly stop: () => void } {
  let heardAt = performance.now();
  const check = () => {
    const isInTool = turn.calls.isRunning;
    const isInTime = isInTool && performance.now() - heardAt < toolLimitMs;
    if (turn.asking > 0 || isInTime) timer.refresh();
    else onSilent(isInTool);
  };
  const timer = setTimeout(check, limitMs);
  let isStopped = false;
  turn.heard = () => {
    if (isStopped) return;
    heardAt = performance.now();
    timer.refresh();
  };
  return {
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

export function timeText(ms: number): string {
  return ms < 60_000 ? `${ms / 1_000} s` : `${Math.round(ms / 60_000)} minutes`;
}
