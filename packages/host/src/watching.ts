import type { SessionAction, SessionState } from '@agenthost/protocol';
import { LOGIN_REQUIRED } from '@agenthost/protocol';
import type { HostWatch } from './connection/watchedCommand.js';
import type { HostLog } from './hostLog.js';
import { hostSamples, type WatchedParts } from './hostSamples.js';
import { EventLoopWatch } from './metrics/eventLoopWatch.js';
import { HostCounters, type TurnOutcome } from './metrics/hostCounters.js';
import type { Sample } from './metrics/metricTable.js';
import { PROMETHEUS_TYPE, prometheusText } from './metrics/prometheusText.js';
import type { LoadedSessions } from './sessions/loadedSessions.js';
import type { SessionChange, SessionServices } from './sessions/sessionServices.js';
import { type Telemetry, wantsTelemetry } from './telemetry/telemetry.js';

/** Figures and telemetry of one host. Figures are read when somebody asks; telemetry is loaded only where it is on. */
export class Watching implements HostWatch {
  readonly counters = new HostCounters();
  readonly #loop = new EventLoopWatch();
  readonly #loaded: LoadedSessions[] = [];
  #parts: WatchedParts | undefined;
  #telemetry: Telemetry | undefined;

  static async open(
    identity: { readonly instanceId: string; readonly place?: string | undefined },
    log: HostLog,
  ): Promise<Watching> {
    const watching = new Watching();
    if (!wantsTelemetry(process.env)) return watching;
    try {
      const { OpenTelemetry } = await import('./telemetry/openTelemetry.js');
      watching.#telemetry = new OpenTelemetry({ ...identity, read: () => watching.samples(), log });
    } catch (error) {
      log.error('telemetry could not be started; the host goes on without it', error);
    }
    return watching;
  }

  /** Absent where telemetry is off. */
  get telemetry(): Telemetry | undefined {
    return this.#telemetry;
  }

  /** What sessions tell of themselves. */
  get ofSessions(): Pick<SessionServices, 'onAction' | 'onLoaded'> {
    const telemetry = this.#telemetry;
    const onAction = (action: SessionAction, before: SessionState, after: SessionState) =>
      telemetry?.changed(action, before, after);
    return { onLoaded: (loaded) => void this.#loaded.push(loaded), ...(telemetry && { onAction }) };
  }

  /** Before that there is nothing to read. */
  watch(parts: WatchedParts): void {
    this.#parts = parts;
  }

  /** Called when a turn of a session may have ended. */
  turnsChanged({ before, after }: SessionChange): void {
    const was = before.activeTurn;
    if (!was || was.id === after.activeTurn?.id) return;
    const turn = after.turns.findLast(({ id }) => id === was.id);
    if (!turn) return;
    const { startedAt, endedAt, usage, state, error } = turn;
    this.counters.turnEnded({
      agent: after.summary.provider,
      outcome: state === 'error' ? failureOf(error?.errorType) : state,
      ms: endedAt - startedAt,
      inputTokens: usage?.inputTokens,
      outputTokens: usage?.outputTokens,
    });
  }

  samples(): Sample[] {
    if (!this.#parts) return [];
    const sessions = this.#loaded.flatMap(({ sessions }) => [...sessions]);
    const evicted = this.#loaded.reduce((sum, one) => sum + one.evicted, 0);
    return [...hostSamples(this.#parts, sessions, evicted), ...this.counters.samples(), ...this.#loop.samples()];
  }

  /** What `/metrics` answers. */
  page(): { readonly type: string; readonly text: string } {
    return { type: PROMETHEUS_TYPE, text: prometheusText(this.samples()) };
  }

  async dispose(): Promise<void> {
    await this.#telemetry?.dispose();
    this.#loop.dispose();
  }
}

function failureOf(errorType: string | undefined): TurnOutcome {
  if (errorType === LOGIN_REQUIRED) return 'loginNeeded';
  return errorType === 'interrupted' ? 'interrupted' : 'failed';
}
