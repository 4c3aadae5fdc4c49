import type { ModelInfo, SessionMode, SessionSetting, SettingValue } from '@agenthost/protocol';
import { MAX_SETTING_VALUES } from '@agenthost/protocol/internal';
import { type ConfigOptions, configOptions, type OpenedSession } from './updateSchemas.js';

/** How a choice of a session is set. */
export type ChoiceRequest =
  | { readonly method: 'session/set_config_option'; readonly params: ConfigParams }
  | { readonly method: 'session/set_mode'; readonly params: { modeId: string } }
  | { readonly method: 'session/set_model'; readonly params: { modelId: string } };

type ConfigParams = { configId: string; value: string } | { configId: string; type: 'boolean'; value: boolean };

interface Choice {
  readonly id: string;
  readonly name: string;
  readonly description?: string | undefined;
}

/** The id of the setting for modes that are no config option. */
const MODES_ID = 'mode';
const EFFORT = 'thought_level';
/** The host shows fewer; some of these may be invalid. */
const MAX_READ = 64;
const ON = 'on';
const OFF = 'off';

/**
 * The models and modes that a session offers. Current agents offer them as config options, others by the older
 * requests.
 */
export class SessionChoices {
  readonly #opened: OpenedSession;
  #options: ConfigOptions;
  #modeId: string | undefined;

  constructor(opened: OpenedSession) {
    this.#opened = opened;
    this.#options = opened.configOptions ?? [];
    this.#modeId = this.#chosenMode() ?? opened.modes?.currentModeId;
  }

  /** Replaces the choices when the agent reported them again. */
  update(options: unknown): void {
    const parsed = configOptions.safeParse(options);
    if (!parsed.success) return;
    this.#options = parsed.data;
    this.#modeId = this.#chosenMode() ?? this.#modeId;
  }

  /** Records the agent's current mode. */
  modeChanged(id: string): void {
    this.#modeId = id;
  }

  models(provider: string): ModelInfo[] {
    const option = this.#option('model');
    const models = option
      ? choicesOf(option)
      : (this.#opened.models?.availableModels ?? []).map(({ modelId, name }) => ({ id: modelId, name }));
    return models.map(({ id, name }) => ({ id, provider, name }));
  }

  get currentModel(): string | undefined {
    const current = this.#option('model')?.currentValue ?? this.#opened.models?.currentModelId;
    return typeof current === 'string' ? current : undefined;
  }

  get currentMode(): SessionMode | undefined {
    const id = this.#modeId;
    if (id === undefined) return undefined;
    const name = this.#modes().find((mode) => mode.id === id)?.name;
    return { id, ...(name !== undefined && { name }) };
  }

  offersMode(id: string): boolean {
    return this.#modes().some((mode) => mode.id === id);
  }

  modeName(id: string): string {
    return this.#modes().find((mode) => mode.id === id)?.name ?? id;
  }

  /** What users can choose beside the model: the modes, and all other config options. */
  get settings(): SessionSetting[] {
    const [model, mode] = [this.#option('model'), this.#option('mode')];
    const modes = mode ? [] : this.#modesAsSetting();
    const others = this.#options.filter((option) => option !== model).slice(0, MAX_READ);
    return [...modes, ...others.flatMap((option) => this.#settingOf(option, option === mode))];
  }

  /** Whether it is at another value and could be set to this one. */
  canSet(id: string, value: string): boolean {
    const setting = this.settings.find((one) => one.id === id);
    return setting !== undefined && setting.value !== value && setting.values.some((one) => one.id === value);
  }

  /** Throws with the known values when the agent offers others. */
  set(id: string, value: string): ChoiceRequest {
    const option = this.#options.find((one) => one.id === id);
    if (!option) return this.setMode(value);
    if (option.type !== 'boolean') return configRequest(option, value, 'value');
    expectOffered(SWITCH, value, 'value');
    return {
      method: 'session/set_config_option',
      params: { configId: id, type: 'boolean', value: value === ON },
    };
  }

  /** The value that holds until the agent reports another one; returns the one before. */
  assume(id: string, value: string): string | undefined {
    const before = this.settings.find((one) => one.id === id)?.value;
    const option = this.#options.find((one) => one.id === id);
    if (!option || option === this.#option('mode')) this.#modeId = value;
    if (option) {
      const currentValue = option.type === 'boolean' ? value === ON : value;
      this.#options = this.#options.map((one) => (one === option ? { ...one, currentValue } : one));
    }
    return before;
  }

  #modesAsSetting(): SessionSetting[] {
    const modes = this.#modes();
    if (this.#modeId === undefined || modes.length === 0) return [];
    return [{ id: MODES_ID, name: 'Mode', kind: 'mode', value: this.#modeId, values: valuesOf(modes) }];
  }

  #settingOf(option: ConfigOptions[number], isMode: boolean): SessionSetting[] {
    const { id, name = id, description, category, type, currentValue } = option;
    const kind = isMode ? 'mode' : category === EFFORT ? 'effort' : category === 'mode' ? undefined : category;
    const about = { id, name, ...(description && { description }), ...(kind !== undefined && { kind }) };
    if (type === 'boolean' && typeof currentValue === 'boolean') {
      return [{ ...about, value: currentValue ? ON : OFF, values: SWITCH }];
    }
    const value = isMode ? this.#modeId : currentValue;
    if (type !== 'select' || typeof value !== 'string') return [];
    return [{ ...about, value, values: valuesOf(choicesOf(option)) }];
  }

  /** Throws with the known names when the agent offers others. */
  setModel(id: string): ChoiceRequest {
    const option = this.#option('model');
    if (option) return configRequest(option, id, 'model');
    const models = this.models('');
    if (models.length > 0) expectOffered(models, id, 'model');
    return { method: 'session/set_model', params: { modelId: id } };
  }

  setMode(id: string): ChoiceRequest {
    const option = this.#option('mode');
    if (option) return configRequest(option, id, 'mode');
    expectOffered(this.#modes(), id, 'mode');
    return { method: 'session/set_mode', params: { modeId: id } };
  }

  /** The value of the config option, if there is one. */
  #chosenMode(): string | undefined {
    const value = this.#option('mode')?.currentValue;
    return typeof value === 'string' ? value : undefined;
  }

  #modes(): Choice[] {
    const option = this.#option('mode');
    return option ? choicesOf(option) : (this.#opened.modes?.availableModes ?? []);
  }

  #option(category: 'model' | 'mode'): ConfigOptions[number] | undefined {
    return this.#options.find((option) => option.category === category && option.type === 'select');
  }
}

function choicesOf({ options = [] }: ConfigOptions[number]): Choice[] {
  const flat = options.flatMap((option) => ('options' in option ? option.options : [option]));
  return flat.map(({ value, name, description }) => ({ id: value, name, description }));
}

const SWITCH: readonly SettingValue[] = [
  { id: ON, name: 'On' },
  { id: OFF, name: 'Off' },
];

function valuesOf(choices: readonly Choice[]): SettingValue[] {
  const first = choices.slice(0, MAX_SETTING_VALUES);
  return first.map(({ id, name, description }) => ({ id, name, ...(description && { description }) }));
}

function configRequest(option: ConfigOptions[number], id: string, what: string): ChoiceRequest {
  expectOffered(choicesOf(option), id, what);
  return { method: 'session/set_config_option', params: { configId: option.id, value: id } };
}

function expectOffered(choices: readonly Choice[], id: string, what: string): void {
  if (choices.some((choice) => choice.id === id)) return;
  const offered = choices.slice(0, 30).map((choice) => choice.id);
  const rest = offered.length > 0 ? `There are: ${offered.join(', ')}.` : `It offers no ${what}s.`;
  throw new Error(`There is no ${what} ${JSON.stringify(id)}. ${rest}`);
}
