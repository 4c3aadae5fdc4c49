import type { SessionSetting } from '@agenthost/protocol';

const named = (id: string) => ({ id, name: `${id.charAt(0).toUpperCase()}${id.slice(1)}` });

/** Two settings: of three modes, and of four efforts of which it refuses `max`. */
const SETTINGS: readonly SessionSetting[] = [
  { id: 'mode', name: 'Mode', kind: 'mode', value: 'ask', values: ['plan', 'ask', 'edit'].map(named) },
  {
    id: 'effort',
    name: 'Effort',
    kind: 'effort',
    value: 'medium',
    values: ['low', 'medium', 'high', 'max'].map(named),
  },
];

/** The settings of a session of the mock agent: none until a prompt asks for them, or until they were chosen before. */
export class MockSettings {
  #settings: readonly SessionSetting[] | undefined;

  constructor(chosen: Readonly<Record<string, string>> = {}) {
    if (Object.keys(chosen).length === 0) return;
    this.#settings = SETTINGS.map((setting) => ({ ...setting, value: chosen[setting.id] ?? setting.value }));
  }

  get all(): readonly SessionSetting[] | undefined {
    return this.#settings;
  }

  /** `none` removes them. */
  offer(which: string): readonly SessionSetting[] {
    this.#settings = which === 'none' ? [] : SETTINGS;
    return this.#settings;
  }

  set(id: string, value: string): readonly SessionSetting[] {
    if (value === 'max') throw new Error('The mock agent was told to refuse this.');
    this.#settings = (this.#settings ?? []).map((setting) => (setting.id === id ? { ...setting, value } : setting));
    return this.#settings;
  }

  get described(): string {
    return (this.#settings ?? []).map(({ id, value }) => `${id}=${value}`).join(' ') || 'None.';
  }
}
