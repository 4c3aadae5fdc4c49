export interface TurnSilenceOptions {
  /** How long nothing may be heard in a turn. */
  readonly limitMs: number;
  /** The same while the agent runs a tool. */
  readonly toolLimitMs: number;
  /** Whether somebody is asked: that may take as long as it takes. */
  isAsking(): boolean;
  isInTool(): boolean;
  /** Called once. */
  onSilent(isInTool: boolean): void;
}

export interface TurnSilence {
  heard(): void;
  stop(): void;
}

/** Notices when nothing was heard of an agent for too long. */
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
