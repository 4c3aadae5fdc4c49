import type { Decision } from '../agent.js';

/** The open questions of an agent. Each is answered once; other answers are ignored. */
export class PendingAnswers {
  readonly #waiting = new Map<string, (decision: Decision) => void>();

  /** Rejects with the signal's reason if it aborts first. */
  wait(requestId: string, signal: AbortSignal): Promise<Decision> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        this.#waiting.delete(requestId);
        signal.removeEventListener('abort', abort);
      };
      const abort = () => {
        settle();
        reject(signal.reason);
      };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener('abort', abort);
      this.#waiting.set(requestId, (decision) => {
        settle();
        resolve(decision);
      });
    });
  }

  answer(requestId: string, decision: Decision): void {
    this.#waiting.get(requestId)?.(decision);
  }
}
