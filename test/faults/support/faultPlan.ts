import type { Fault } from '../../../packages/host/test/storage/faultySessionFs.js';

/** `once`: one operation fails. `full`: it and all that follow do, until there is room. */
export type FaultMode = 'once' | 'full';

export const FAULT_MODES: readonly FaultMode[] = ['once', 'full'];

/** Which operation of a whole history fails; counts them over all sessions and restarts. */
export class FaultPlan {
  at: number;
  mode: FaultMode;
  /** Of the operations before the storage was repaired. */
  count = 0;
  /** What has failed, as `operation path`. */
  readonly fired: string[] = [];
  #isOver = false;

  /** Without `at` nothing fails: the operations are counted. */
  constructor(at = Number.POSITIVE_INFINITY, mode: FaultMode = 'once') {
    this.at = at;
    this.mode = mode;
  }

  get hasFired(): boolean {
    return this.fired.length > 0;
  }

  next({ operation, path }: { readonly operation: string; readonly path: string }): Fault | undefined {
    if (this.#isOver) return undefined;
    const n = ++this.count;
    if (this.mode === 'once' ? n !== this.at : n < this.at) return undefined;
    this.fired.push(`${operation} ${path.split('/').slice(-2).join('/')}`);
    // A disk that runs full takes a part of what it is given first.
    const isFirst = this.fired.length === 1;
    return this.mode === 'once' ? { code: 'EIO' } : { code: 'ENOSPC', ...(isFirst && { written: 0.5 }) };
  }

  /** Throws what a storage whose whole operation fails says. */
  check(call: { readonly operation: string; readonly path: string }): void {
    const fault = this.next(call);
    if (!fault) return;
    const message = `${fault.code}: injected into ${call.operation} of ${call.path}`;
    throw Object.assign(new Error(message), { code: fault.code });
  }

  /** The next operation is the one that fails. */
  failFromNow(mode: FaultMode): void {
    this.at = this.count + 1;
    this.mode = mode;
  }

  repair(): void {
    this.#isOver = true;
  }
}
