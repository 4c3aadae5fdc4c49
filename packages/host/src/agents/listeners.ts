import { Listeners } from '@agenthost/rpc';

/** Listeners of one kind of event. One that throws is reported as a warning and affects neither the others nor the source. */
export function createListeners<T>(): Listeners<T> {
  return new Listeners<T>((error) => process.emitWarning(error instanceof Error ? error : new Error(String(error))));
}
