import type { SessionSetting } from '@agenthost/protocol';
import { ChevronDown } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { PageHost } from '../app/pagePlace.js';
import { Menu } from '../overlays/Menu.js';

interface FirstSettings {
  /** For the message. */
  readonly chosen: { readonly mode?: string; readonly settings?: Readonly<Record<string, string>> };
  readonly menus: ReactNode;
}

const NONE: readonly SessionSetting[] = [];

/**
 * The mode and the effort that a new session begins with, as the newest session of that agent offers them. Nothing is chosen until the
 * user does. `isUntrusted`: the agent is started after the first message only, so that no more than the mode can be chosen.
 */
export function useFirstSettings(
  host: PageHost,
  agent: string | undefined,
  { isUntrusted }: { readonly isUntrusted: boolean },
): FirstSettings {
  const [offered, setOffered] = useState(NONE);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  useEffect(() => {
    setOffered(NONE);
    setValues({});
    if (agent === undefined) return;
    let isGone = false;
    host.provider.settingsOf(agent).then(
      (settings) => !isGone && setOffered(settings),
      () => undefined,
    );
    return () => {
      isGone = true;
    };
  }, [host, agent]);
  const shown = offered.filter(({ kind }) => kind === 'mode' || (kind === 'effort' && !isUntrusted));
  const picked = shown.flatMap((setting) => {
    const value = setting.values.find(({ id }) => id === values[setting.id]);
    return value ? [{ setting, value }] : [];
  });
  const mode = picked.find(({ setting }) => setting.kind === 'mode')?.value.id;
  const rest = picked.filter(({ setting }) => setting.kind !== 'mode');
  return {
    chosen: {
      ...(mode !== undefined && { mode }),
      ...(rest.length > 0 && {
        settings: Object.fromEntries(rest.map(({ setting, value }) => [setting.id, value.id])),
      }),
    },
    menus: shown.map((setting) => {
      const value = picked.find((one) => one.setting === setting)?.value;
      const choose = (id: string | undefined) => () =>
        setValues(({ [setting.id]: _, ...others }) => (id === undefined ? others : { ...others, [setting.id]: id }));
      const text = value?.name ?? `Default ${setting.name.toLowerCase()}`;
      return (
        <Menu
          key={setting.id}
          label={`${setting.name}: ${value?.name ?? 'default'}`}
          className="pick"
          items={[
            { label: 'Default', checked: value === undefined, choose: choose(undefined) },
            ...setting.values.map(({ id, name }) => ({ label: name, checked: id === value?.id, choose: choose(id) })),
          ]}
        >
          {text}
          <ChevronDown className="chev" size={12} aria-hidden />
        </Menu>
      );
    }),
  };
}
