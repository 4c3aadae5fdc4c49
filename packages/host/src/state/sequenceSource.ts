/** The one counter of the host. */
export interface SequenceSource {
  /** The last number that was given out, or that any earlier run of the host may have given out. */
  readonly current: number;
  next(): number;
}
