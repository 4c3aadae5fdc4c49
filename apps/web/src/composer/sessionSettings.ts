import type { SessionSetting, SessionState } from '@agenthost/protocol';

/** More modes than this are a menu. */
export const MOST_SEGMENTS = 3;

/** The mode first. */
export function orderedSettings({ settings = [] }: Pick<SessionState, 'settings'>): readonly SessionSetting[] {
  const isMode = ({ kind }: SessionSetting) => kind === 'mode';
  return [...settings.filter(isMode), ...settings.filter((setting) => !isMode(setting))];
}

export function nameOfValue({ value, values }: SessionSetting): string {
  return values.find(({ id }) => id === value)?.name ?? value;
}

/** The mode after the current one; `undefined` if there is no other one. */
export function nextMode({
  settings = [],
}: Pick<SessionState, 'settings'>): [setting: string, value: string] | undefined {
  const mode = settings.find(({ kind }) => kind === 'mode');
  if (!mode || mode.values.length === 0) return undefined;
  const at = mode.values.findIndex(({ id }) => id === mode.value);
  const next = mode.values[(at + 1) % mode.values.length];
  return next && next.id !== mode.value ? [mode.id, next.id] : undefined;
}

interface SettingNote {
  readonly text: string;
  readonly isProblem: boolean;
}

/** What there is to say about the settings: a refusal of the agent, or that a change counts from the next step of the running turn. */
export function settingNote({
  settings = [],
  activeTurn,
}: Pick<SessionState, 'settings' | 'activeTurn'>): SettingNote | undefined {
  const refused = settings.find(({ problem }) => problem !== undefined);
  if (refused) return { text: `${refused.name} was not changed: ${refused.problem}`, isProblem: true };
  const isNew = activeTurn && settings.some(({ chosen }) => chosen?.turnId === activeTurn.id);
  return isNew ? { text: 'from the next step', isProblem: false } : undefined;
}
