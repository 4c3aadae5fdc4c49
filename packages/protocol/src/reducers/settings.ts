import { sameValue } from '../sameValue.js';
import type { SettingChosenAction } from '../types/clientActions.js';
import type { ModeChangedAction, SettingsChangedAction } from '../types/hostActions.js';
import type { SessionMode, SessionSetting, SessionState } from '../types/sessionState.js';
import { changeList } from './lists.js';
import { changeSummary } from './summary.js';

/** Who chose a value is known as long as the agent reports that value. */
export function changeSettings(state: SessionState, action: SettingsChangedAction): SessionState {
  const before = state.settings ?? [];
  const settings = action.settings.map((setting) => withChoiceOf(setting, before));
  const changed = sameValue(settings, before) ? state : changeList(state, 'settings', settings);
  return withModeOf(changed, settings.find(isMode));
}

export function chooseSetting(state: SessionState, { setting: id, value, by }: SettingChosenAction): SessionState {
  const before = state.settings ?? [];
  const index = before.findIndex((setting) => setting.id === id);
  const setting = before[index];
  if (!setting || setting.value === value || !setting.values.some((one) => one.id === value)) return state;
  const { problem: _, ...rest } = setting;
  const { activeTurn } = state;
  const chosen = { ...(by && { by }), ...(activeTurn && { turnId: activeTurn.id }) };
  const next: SessionSetting = { ...rest, value, chosen, pending: true };
  return withModeOf({ ...state, settings: before.with(index, next) }, isMode(next) ? next : undefined);
}

export function changeMode(state: SessionState, { mode }: ModeChangedAction): SessionState {
  const changed = changeSummary(state, { mode });
  const before = state.settings ?? [];
  const index = before.findIndex(isMode);
  const setting = before[index];
  if (!mode || !setting || setting.value === mode.id) return changed;
  const { chosen: _, pending: __, ...rest } = setting;
  return { ...changed, settings: before.with(index, { ...rest, value: mode.id }) };
}

function withChoiceOf(setting: SessionSetting, before: readonly SessionSetting[]): SessionSetting {
  const { chosen: _, ...reported } = setting;
  const known = before.find(({ id }) => id === setting.id);
  return known?.chosen && known.value === setting.value ? { ...reported, chosen: known.chosen } : reported;
}

function withModeOf(state: SessionState, setting: SessionSetting | undefined): SessionState {
  if (!setting) return state;
  const name = setting.values.find(({ id }) => id === setting.value)?.name;
  const mode: SessionMode = { id: setting.value, ...(name !== undefined && { name }) };
  return changeSummary(state, { mode });
}

function isMode({ kind }: SessionSetting): boolean {
  return kind === 'mode';
}
