import type { AvailableCommand, SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk';
import type { HostClient } from '@agenthost/client';
import type { SessionSetting, SessionState } from '@agenthost/protocol';
import { safeLine } from '../text/safeText.js';

/** What users choose in a session, in the words of ACP. */
export interface ThreadOptions {
  readonly modes?: SessionModeState;
  readonly configOptions: SessionConfigOption[];
}

/** The id of the option for the model, where the agent itself has no setting for it. */
export const MODEL_OPTION = 'model';

const CATEGORIES: Readonly<Record<string, string>> = { mode: 'mode', model: 'model', effort: 'thought_level' };

export function threadOptions({ settings = [], summary }: SessionState, { root }: HostClient): ThreadOptions {
  const mode = modeSetting(settings);
  const models = root.state.value.agents.find(({ provider }) => provider === summary.provider)?.models ?? [];
  const hasModel = settings.some(({ id, kind }) => id === MODEL_OPTION || kind === 'model');
  const configOptions = settings.map(configOption);
  if (!hasModel && models.length > 1 && summary.model !== undefined) {
    configOptions.push({
      id: MODEL_OPTION,
      name: 'Model',
      category: 'model',
      type: 'select',
      currentValue: summary.model,
      options: withCurrent(
        models.map(({ id, name }) => ({ value: id, name: safeLine(name) })),
        summary.model,
      ),
    });
  }
  return {
    configOptions,
    ...(mode && {
      modes: {
        currentModeId: mode.value,
        availableModes: choices(mode).map(({ value, name, description }) => ({
          id: value,
          name,
          ...(description !== undefined && { description }),
        })),
      },
    }),
  };
}

export function modeSetting(settings: readonly SessionSetting[]): SessionSetting | undefined {
  return settings.find(({ kind }) => kind === 'mode');
}

export function availableCommands({ commands = [] }: SessionState): AvailableCommand[] {
  return commands.map(({ name, description, inputHint }) => ({
    name,
    description: safeLine(description ?? ''),
    ...(inputHint !== undefined && { input: { hint: safeLine(inputHint) } }),
  }));
}

function configOption(setting: SessionSetting): SessionConfigOption {
  const { id, name, description, kind, value } = setting;
  return {
    id,
    name: safeLine(name),
    ...(description !== undefined && { description: safeLine(description) }),
    ...(kind !== undefined && { category: CATEGORIES[kind] ?? kind }),
    type: 'select',
    currentValue: value,
    options: choices(setting),
  };
}

function choices({ values, value: current }: SessionSetting): Choice[] {
  const offered = values.map(({ id, name, description }) => ({
    value: id,
    name: safeLine(name),
    ...(description !== undefined && { description: safeLine(description) }),
  }));
  return withCurrent(offered, current);
}

interface Choice {
  readonly value: string;
  readonly name: string;
  readonly description?: string;
}

/** An agent may be at a value that it does not offer; an editor could not show that. */
function withCurrent(offered: Choice[], current: string): Choice[] {
  return offered.some(({ value }) => value === current) ? offered : [...offered, { value: current, name: current }];
}
