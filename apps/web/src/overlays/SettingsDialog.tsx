import { History, SlidersHorizontal, Smartphone, Webhook } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { PageHost } from '../app/pagePlace.js';
import { useServices } from '../app/services.js';
import type { Theme } from '../app/settings.js';
import { useObservable } from '../app/useObservable.js';
import { CloseButton } from '../controls/CloseButton.js';
import { Dialog } from './Dialog.js';
import { NotificationSetting } from './NotificationSetting.js';

/** Loaded when it is looked at. */
const DevicesSettings = lazy(async () => ({
  default: (await import('../devices/DevicesSettings.js')).DevicesSettings,
}));

const ActivitySettings = lazy(async () => ({
  default: (await import('../devices/ActivitySettings.js')).ActivitySettings,
}));

const WebhooksSettings = lazy(async () => ({
  default: (await import('../devices/WebhooksSettings.js')).WebhooksSettings,
}));

const THEMES: readonly (readonly [theme: Theme, label: string])[] = [
  ['system', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

export type SettingsSection = 'general' | 'devices' | 'webhooks' | 'activity';

const SECTIONS: readonly {
  readonly section: SettingsSection;
  readonly label: string;
  readonly icon: typeof Smartphone;
}[] = [
  { section: 'general', label: 'General', icon: SlidersHorizontal },
  { section: 'devices', label: 'Devices', icon: Smartphone },
  { section: 'webhooks', label: 'Webhooks', icon: Webhook },
  { section: 'activity', label: 'Activity', icon: History },
];

interface SettingsDialogProps {
  readonly first?: SettingsSection;
  readonly onClose: () => void;
}

/** The settings of this browser, and the devices of the host that serves the page. */
export function SettingsDialog({ first = 'general', onClose }: SettingsDialogProps) {
  const { hosts, settings } = useServices();
  const [own] = useObservable(hosts.all);
  const { userName } = useObservable(settings.value);
  const [name, setName] = useState(userName);
  const [shown, setShown] = useState(first);
  const close = () => {
    hosts.setUserName(name.trim());
    onClose();
  };
  return (
    <Dialog label="Settings" className="ask-dialog settings" onClose={close}>
      <div className="page-h">
        <h2 className="grow">Settings</h2>
        <CloseButton onClose={close} />
      </div>
      <div className="setg">
        <nav className="setn" aria-label="Settings">
          {SECTIONS.map(({ section, label, icon: Icon }) => (
            <button
              key={section}
              type="button"
              aria-current={shown === section ? 'page' : undefined}
              onClick={() => setShown(section)}
            >
              <Icon size={16} aria-hidden />
              {label}
            </button>
          ))}
        </nav>
        {shown === 'general' && <GeneralSettings host={own} name={name} onName={setName} />}
        {shown === 'devices' && own && (
          <Suspense fallback={<p role="status">Loading…</p>}>
            <DevicesSettings host={own} />
          </Suspense>
        )}
        {shown === 'webhooks' && own && (
          <Suspense fallback={<p role="status">Loading…</p>}>
            <WebhooksSettings host={own} />
          </Suspense>
        )}
        {shown === 'activity' && own && (
          <Suspense fallback={<p role="status">Loading…</p>}>
            <ActivitySettings host={own} />
          </Suspense>
        )}
      </div>
    </Dialog>
  );
}

interface GeneralSettingsProps {
  readonly host: PageHost | undefined;
  readonly name: string;
  readonly onName: (name: string) => void;
}

/** The user's settings for the page in this browser. */
function GeneralSettings({ host, name, onName }: GeneralSettingsProps) {
  const { settings } = useServices();
  const { theme, singleLetters } = useObservable(settings.value);
  return (
    <section aria-label="General">
      <label className="setting">
        <span className="grow">Your name, as others see it</span>
        <input value={name} maxLength={60} placeholder="Somebody" onChange={(event) => onName(event.target.value)} />
      </label>
      {host && <NameNote host={host} />}
      <div className="setting">
        <span className="grow">Theme</span>
        <div className="seg" role="group" aria-label="Theme">
          {THEMES.map(([one, label]) => (
            <button
              key={one}
              type="button"
              aria-pressed={theme === one}
              onClick={() => settings.update({ theme: one })}
            >
              {label}
            </button>
          ))}
        </div>
      </div>
      <NotificationSetting />
      <label className="setting toggle">
        <span className="grow">Single-letter shortcuts</span>
        <input
          type="checkbox"
          checked={singleLetters}
          onChange={(event) => settings.update({ singleLetters: event.target.checked })}
        />
      </label>
    </section>
  );
}

/** Only an owner can change it later: others could take somebody else's name. */
function NameNote({ host }: { readonly host: PageHost }) {
  const role = useObservable(host.role);
  return role === 'owner' ? null : (
    <p className="why">{host.name} shows the name that was given when this device was connected.</p>
  );
}
