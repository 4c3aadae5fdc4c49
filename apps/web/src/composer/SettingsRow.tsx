import type { SessionSetting, SessionState } from '@agenthost/protocol';
import { ChevronDown, Gauge } from 'lucide-react';
import { Menu } from '../overlays/Menu.js';
import { MOST_SEGMENTS, nameOfValue, settingNote } from './sessionSettings.js';
import './settingsRow.css';

interface SettingsRowProps {
  readonly state: SessionState;
  readonly settings: readonly SessionSetting[];
  /** Absent where the role does not allow it. */
  readonly onChoose: ((setting: string, value: string) => void) | undefined;
}

/** What the agent lets users choose: its mode as buttons or as a menu, everything else as menus. */
export function SettingsRow({ state, settings, onChoose }: SettingsRowProps) {
  const note = settingNote(state);
  return (
    <div className="settings-row">
      {settings.map((setting) =>
        onChoose ? (
          <Choice key={setting.id} setting={setting} choose={(value) => onChoose(setting.id, value)} />
        ) : (
          <span key={setting.id} className="exit" title={setting.name}>
            {setting.kind === 'mode' ? nameOfValue(setting) : `${setting.name}: ${nameOfValue(setting)}`}
          </span>
        ),
      )}
      <span className={note?.isProblem ? 'problem' : 'aux'} role="status">
        {note?.text}
      </span>
    </div>
  );
}

interface ChoiceProps {
  readonly setting: SessionSetting;
  readonly choose: (value: string) => void;
}

function Choice({ setting, choose }: ChoiceProps) {
  const { name, kind, value, values } = setting;
  const isMode = kind === 'mode';
  const shown = nameOfValue(setting);
  if (isMode && values.length <= MOST_SEGMENTS) {
    return (
      <div className="seg" role="group" aria-label={name}>
        {values.map((one) => (
          <button
            key={one.id}
            type="button"
            aria-pressed={one.id === value}
            title={[one.description ?? one.id, 'Shift+Tab: the next one'].join('\n')}
            onClick={() => choose(one.id)}
          >
            {one.name}
          </button>
        ))}
      </div>
    );
  }
  return (
    <Menu
      label={`${name}: ${shown}`}
      className="pick"
      items={values.map((one) => ({
        label: one.name,
        checked: one.id === value,
        choose: () => choose(one.id),
      }))}
    >
      {kind === 'effort' && <Gauge size={14} aria-hidden />}
      {isMode ? shown : `${name}: ${shown}`}
      <ChevronDown className="chev" size={12} aria-hidden />
    </Menu>
  );
}
