import type { HostLog } from '../hostLog.js';

/** A collector that is away for a day is a few lines in the log. */
const EVERY_MS = 10 * 60_000;
const MAX_TEXT = 200;

/** Says in one line that telemetry can't be sent: at the first time, and then now and again. */
export class SendingProblems {
  readonly #log: HostLog;
  #toldAt = Number.NEGATIVE_INFINITY;
  #since = 0;

  constructor(log: HostLog) {
    this.#log = log;
  }

  happened(problem: unknown): void {
    this.#since++;
    const now = performance.now();
    if (now - this.#toldAt < EVERY_MS) return;
    this.#toldAt = now;
    const times = this.#since > 1 ? ` (${this.#since} times since the last line)` : '';
    this.#since = 0;
    this.#log.warn(
      `telemetry could not be sent: ${textOf(problem)}${times}; check OTEL_EXPORTER_OTLP_ENDPOINT, the host goes on without it`,
    );
  }
}

/** One line, without addresses: they may have a password. */
function textOf(problem: unknown): string {
  const { code, message } = (problem ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  const text = typeof problem === 'string' ? problem : typeof message === 'string' && message !== '' ? message : code;
  const line = String(text ?? 'no reason was given').split('\n', 1)[0] ?? '';
  return line.replace(/\bhttps?:\/\/\S+/g, 'the collector').slice(0, MAX_TEXT);
}
