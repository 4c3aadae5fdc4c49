export interface TurnSilenceOptions {
  /** How long the agent may be silent in a turn. */
  readonly limitMs: number;
  /** The same while the agent runs a tool. */
  readonly toolLimitMs: number;
  /** Whether a question is open: that has no time limit. */
  isAsking(): boolean;
  isInTool(): boolean;
  /** Called once. */
  onSilent(isInTool: boolean): void;
}

export interface TurnSilence {
  heard(): void;
  stop(): void;
}

/** Notices when an agent was silent for too long. */
export function watchSilence({ limitMs, toolLimitMs, ...options }: TurnSilenceOptions): TurnSilence {
  let heardAt = performance.now();
  const check = () => {
    const isInTool = options.isInTool();
    const isInTime = isInTool && performance.now() - heardAt < toolLimitMs;
    if (options.isAsking() || isInTime) timer.refresh();
    else options.onSilent(isInTool);
  };
  const timer = setTimeout(check, limitMs);
  let isStopped = false;
  return {
    heard: () => {
      if (isStopped) return;
      heardAt = performance.now();
      timer.refresh();
    },
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
