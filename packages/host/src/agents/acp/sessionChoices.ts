import type { ModelInfo, SessionMode } from '@agenthost/protocol';
import { type ConfigOptions, configOptions, type OpenedSession } from './updateSchemas.js';

/** How a choice of a session is set. */
export type ChoiceRequest =
  | { readonly method: 'session/set_config_option'; readonly params: { configId: string; value: string } }
  | { readonly method: 'session/set_mode'; readonly params: { modeId: string } }
  | { readonly method: 'session/set_model'; readonly params: { modelId: string } };

interface Choice {
  readonly id: string;
  readonly name: string;
}

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
  return flat.map(({ value, name }) => ({ id: value, name }));
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
