export interface Finding {
  readonly check: string;
  readonly level: 'ok' | 'warning' | 'problem';
  readonly what: string;
  /** What to do about it; absent if there is nothing to do. */
  readonly fix?: string;
  /** Fixes it, if that is harmless. */
  readonly mend?: () => Promise<void>;
  readonly mended?: boolean;
}

export const ok = (check: string, what: string): Finding => ({ check, level: 'ok', what });
