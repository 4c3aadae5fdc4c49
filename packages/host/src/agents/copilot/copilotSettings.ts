import type { SessionMode, SessionSetting } from '@agenthost/protocol';
import { errorMessage } from '@agenthost/protocol/internal';
import { MODE_VALUES, modeOf } from './modes.js';
import { EFFORTS } from './providerConfig.js';
import type { SdkSession } from './sdk.js';

const MODE = 'mode';
const EFFORT = 'effort';
/** Copilot says no effort while the model's own is used; nobody can choose that again. */
const UNSET = 'default';
const EFFORT_NAMES: Readonly<Record<string, string>> = { xhigh: 'Extra high' };
const EFFORT_VALUES = EFFORTS.map((id) => ({
  id,
  name: EFFORT_NAMES[id] ?? `${id.charAt(0).toUpperCase()}${id.slice(1)}`,
}));

/** What users can choose in a session of Copilot: its mode and its effort. */
export class CopilotSettings {
  readonly #rpc: SdkSession['rpc'];
  #mode: SessionMode | undefined;
  #effort: string | undefined;

  constructor({ rpc }: SdkSession, mode: SessionMode | undefined) {
    this.#rpc = rpc;
    this.#mode = mode;
  }

  /** Sets the effort that a user chose. Returns why Copilot refused it, if it did. */
  async restore(chosen: Readonly<Record<string, string>> = {}): Promise<string | undefined> {
    const wanted = chosen[EFFORT];
    await this.#readEffort();
    if (wanted === undefined || wanted === this.#effort || !EFFORTS.includes(wanted)) return undefined;
    return this.set(EFFORT, wanted).catch((error: unknown) => `Effort could not be set again: ${errorMessage(error)}`);
  }

  get mode(): SessionMode | undefined {
    return this.#mode;
  }

  get all(): readonly SessionSetting[] {
    const effort = this.#effort;
    return [
      ...(this.#mode ? [{ id: MODE, name: 'Mode', kind: MODE, value: this.#mode.id, values: MODE_VALUES }] : []),
      ...(this.#rpc.model?.setReasoningEffort
        ? [{ id: EFFORT, name: 'Effort', kind: EFFORT, value: effort ?? UNSET, values: EFFORT_VALUES }]
        : []),
    ];
  }

  modeChanged(id: string): SessionMode {
    this.#mode = modeOf(id);
    return this.#mode;
  }

  /** `null` when the model's own counts again; nothing is said where it stays. */
  effortChanged(effort: string | null | undefined): void {
    if (effort !== undefined) this.#effort = effort ?? undefined;
  }

  async set(id: string, value: string): Promise<undefined> {
    const { mode, model } = this.#rpc;
    if (id === MODE && mode) {
      await mode.set({ mode: value });
      const actual = await mode.get();
      this.modeChanged(typeof actual === 'string' ? actual : value);
    } else if (id === EFFORT && model?.setReasoningEffort) {
      await model.setReasoningEffort({ reasoningEffort: value });
      this.#effort = value;
      await this.#readEffort();
    } else throw new Error('This version of Copilot does not have it.');
  }

  async #readEffort(): Promise<void> {
    const current = await this.#rpc.model?.getCurrent().catch(() => undefined);
    if (typeof current?.reasoningEffort === 'string') this.#effort = current.reasoningEffort;
  }
}
