import { useState } from 'react';
import { askForNotifications } from '../app/notifications.js';
import { useServices } from '../app/services.js';
import type { Theme } from '../app/settings.js';
import { useObservable } from '../app/useObservable.js';
import { CloseButton } from '../controls/CloseButton.js';
import { Dialog } from './Dialog.js';

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

/** The user's settings for the page in this browser. */
export function SettingsDialog({ onClose }: { readonly onClose: () => void }) {
  const { hosts, settings } = useServices();
  const { theme, notifications, singleLetters, userName } = useObservable(settings.value);
  const [name, setName] = useState(userName);
  const [refused, setRefused] = useState(false);
  const close = () => {
    hosts.setUserName(name.trim());
    onClose();
  };
  const setNotifications = async (wanted: boolean) => {
    const allowed = wanted && (await askForNotifications());
    setRefused(wanted && !allowed);
    settings.update({ notifications: allowed });
  };
  return (
    <Dialog label="Settings" className="ask-dialog" onClose={close}>
      <div className="page-h">
        <h2 className="grow">Settings</h2>
        <CloseButton onClose={close} />
      </div>
      <label className="setting">
        <span className="grow">Your name, as others see it</span>
        <input value={name} maxLength={60} placeholder="Somebody" onChange={(event) => setName(event.target.value)} />
      </label>
      <div className="setting">
        <span className="grow">Theme</span>
        <div className="seg" role="group" aria-label="Theme">
          {THEMES.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={theme === one}
              onClick={() => settings.update({ theme: one })}
            >
              {one}
            </button>
          ))}
        </div>
      </div>
      <label className="setting toggle">
        <span className="grow">Notify me when a session needs me</span>
        <input
          type="checkbox"
          checked={notifications}
          onChange={(event) => void setNotifications(event.target.checked)}
        />
      </label>
      {refused && (
        <p className="why bad" role="alert">
          This browser doesn't allow notifications for this page. Allow them beside the address, then try again.
        </p>
      )}
      <label className="setting toggle">
        <span className="grow">Single-letter shortcuts</span>
        <input
          type="checkbox"
          checked={singleLetters}
          onChange={(event) => settings.update({ singleLetters: event.target.checked })}
        />
      </label>
    </Dialog>
  );
}
