import type { SessionSetting } from '@agenthost/protocol';
import type { Key } from 'ink';
import { safeLine } from '../text/safeText.js';
import type { AttachModel } from './attachModel.js';

/** Ctrl+P chooses the next mode of the agent, Ctrl+O the next value of its next setting, which is the effort mostly. */
export function settingKey(model: AttachModel, input: string, key: Key): boolean {
  if (!key.ctrl || (input !== 'p' && input !== 'o')) return false;
  const { chat } = model;
  const settings = chat?.state.value?.settings ?? [];
  const isMode = input === 'p';
  const setting =
    settings.find(({ kind }) => (isMode ? kind === 'mode' : kind === 'effort')) ??
    (isMode ? undefined : other(settings));
  if (!chat || !setting) model.notify(isMode ? 'This agent has no modes.' : 'This agent has no other settings.');
  else if (!model.may('session/settingChosen')) model.notify('Only a device with the role driver changes that.');
  else chooseNext(model, setting);
  return true;
}

function other(settings: readonly SessionSetting[]): SessionSetting | undefined {
  return settings.find(({ kind }) => kind !== 'mode');
}

function chooseNext(model: AttachModel, { id, name, value, values }: SessionSetting): void {
  const at = values.findIndex((one) => one.id === value);
  const next = values[(at + 1) % Math.max(values.length, 1)];
  const { chat } = model;
  if (!chat || !next || next.id === value) {
    model.notify(`${safeLine(name)} has no other value.`);
    return;
  }
  const when = chat.state.value?.activeTurn ? ', from the next step' : '';
  model.notify(`${safeLine(name)}: ${safeLine(next.name)}${when}`);
  model.attempt(chat.chooseSetting(id, next.id));
}

/** The settings in a few words, with what the agent refused. */
export function settingsText(settings: readonly SessionSetting[] = []): string {
  const shown = settings.map(({ kind, name, value, values }) => {
    const chosen = values.find(({ id }) => id === value)?.name ?? value;
    return safeLine(kind === 'mode' ? chosen : `${name}: ${chosen}`);
  });
  const refused = settings.find(({ problem }) => problem !== undefined);
  return [...shown, ...(refused ? [safeLine(`${refused.name} was not changed: ${refused.problem}`)] : [])].join(' · ');
}
