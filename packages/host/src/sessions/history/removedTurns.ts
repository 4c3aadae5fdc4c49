import type { LogRecord } from '../../storage/log/eventLog.js';

/** The turns of a log that a later record of it removes, for readers that keep only some of the turns. */
export class RemovedTurns {
  /** In their order; of those that remain. */
  readonly #begun: string[] = [];
  /** The turn's id, and the number of the record that removes it. */
  readonly #removed = new Map<string, number>();

  get isEmpty(): boolean {
    return this.#removed.size === 0;
  }

  /** The same records. What is removed is known when the last one was read. */
  async *follow(records: AsyncIterable<LogRecord>): AsyncGenerator<LogRecord> {
    for await (const record of records) {
      if (record.type === 'action') {
        const { action } = record;
        if (action.type === 'session/turnStarted') this.#begun.push(action.turnId);
        else if (action.type === 'session/truncated')
          for (const id of this.#begun.splice(action.turns)) this.#removed.set(id, record.n);
      }
      yield record;
    }
  }

  /** The records without those turns. */
  async *leaveOut(records: AsyncIterable<LogRecord>): AsyncGenerator<LogRecord> {
    for await (const record of records) {
      if (record.type === 'action') {
        const { action } = record;
        if (action.type === 'session/truncated') continue;
        if ('turnId' in action && action.turnId !== undefined && record.n < (this.#removed.get(action.turnId) ?? 0))
          continue;
      }
      yield record;
    }
  }
}
