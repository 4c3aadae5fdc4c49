import { useState } from 'react';
import { useServices } from '../app/services.js';
import type { NotifyMode } from '../app/settings.js';
import { useObservable } from '../app/useObservable.js';
import type { PushDelivery } from '../push/pushDevice.js';

const MODES: readonly (readonly [mode: NotifyMode, label: string])[] = [
  ['off', 'Off'],
  ['needsInput', 'Needs input'],
  ['needsInputAndFinished', 'Needs input and finished'],
];

/** What this device is told of while the user looks elsewhere. */
export function NotificationSetting() {
  const { push, settings } = useServices();
  const { notifications } = useObservable(settings.value);
  const delivery = useObservable(push.delivery);
  const [isRefused, setRefused] = useState(false);
  const choose = async (mode: NotifyMode) => setRefused(!(await push.set(mode)));
  return (
    <>
      <div className="setting stacked">
        <span className="grow">Notifications on this device</span>
        <div className="seg" role="group" aria-label="Notifications on this device">
          {MODES.map(([mode, label]) => (
            <button key={mode} type="button" aria-pressed={notifications === mode} onClick={() => void choose(mode)}>
              {label}
            </button>
          ))}
        </div>
      </div>
      {isRefused ? (
        <p className="why bad" role="alert">
          This browser doesn't allow notifications for this page. Allow them beside the address, then try again.
        </p>
      ) : (
        <p className="why" role="status">
          {explanation(notifications, delivery)}
        </p>
      )}
    </>
  );
}

function explanation(mode: NotifyMode, delivery: PushDelivery): string {
  if (mode === 'off') return 'This device is told nothing while the page is closed.';
  if (delivery.by === 'push')
    return 'Sent to this device also while the page is closed, and encrypted on the way. Not sent for the session that you look at.';
  if (delivery.by === 'page') return `Only while this page is open: ${delivery.reason}`;
  return 'Connecting to the push service…';
}
