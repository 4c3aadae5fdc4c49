import './devices.css';
import type { Device, Role } from '@agenthost/protocol';
import { Laptop, Link, Plus, Smartphone, Tablet } from 'lucide-react';
import { useState } from 'react';
import { createPortal } from 'react-dom';
import type { PageHost } from '../app/pagePlace.js';
import { permissionError } from '../app/permissionError.js';
import { useNow } from '../app/useNow.js';
import { useObservable } from '../app/useObservable.js';
import { Problem } from '../controls/Problem.js';
import { ago } from '../conversation/times.js';
import { AskDialog } from '../overlays/AskDialog.js';
import { endText } from '../sharing/linkNote.js';
import { deviceKind } from './deviceNames.js';
import { PairDialog } from './PairDialog.js';
import { ALL_ROLES, roleName } from './roleTexts.js';
import { useDevices } from './useDevices.js';

const ICONS = { phone: Smartphone, tablet: Tablet, computer: Laptop };

const ownFirst = (devices: readonly Device[], own: string | undefined) =>
  devices.toSorted((a, b) => Number(b.id === own) - Number(a.id === own));

/** Which devices may reach the host, and what they may do. */
export function DevicesSettings({ host }: { readonly host: PageHost }) {
  const refusal = permissionError(useObservable(host.role), 'listDevices');
  const { listed, problem, attempt } = useDevices(host.devices, refusal === undefined);
  const [isPairing, setPairing] = useState(false);
  const [revoking, setRevoking] = useState<Device>();
  const now = useNow(true, 10_000);
  const owners = listed?.items.filter(({ role }) => role === 'owner').length ?? 0;
  return (
    <section className="setp" aria-label="Devices">
      <header>
        <div className="grow">
          <h3>Devices</h3>
          <p>Who may reach {host.name}, and what they may do.</p>
        </div>
        {refusal === undefined && (
          <button type="button" className="btn primary" onClick={() => setPairing(true)}>
            <Plus size={15} aria-hidden />
            Add a phone
          </button>
        )}
      </header>
      <Problem text={problem} />
      {refusal !== undefined && <p className="why">{refusal}</p>}
      {listed && (
        <ul className="rows">
          {ownFirst(listed.items, listed.own).map((device) => (
            <DeviceRow
              key={device.id}
              device={device}
              now={now}
              isOwn={device.id === listed.own}
              isLastOwner={device.role === 'owner' && owners === 1}
              onRole={(role) => attempt(host.devices.update({ device: device.id, role }))}
              onRevoke={() => setRevoking(device)}
            />
          ))}
        </ul>
      )}
      {listed && (
        <p className="why">
          {listed.items.length === 0
            ? 'No device has a token of its own yet.'
            : 'A revoked device is cut off at once. What it answered before stays in the log with its name.'}
        </p>
      )}
      {/* Not a part of this dialog: its styles are its own. */}
      {isPairing && createPortal(<PairDialog host={host} onClose={() => setPairing(false)} />, document.body)}
      {revoking && (
        <AskDialog
          title={`Revoke ${revoking.name}?`}
          text={
            revoking.shared
              ? 'Whoever reads the session with this link is disconnected at once.'
              : `It is disconnected from ${host.name} at once, and needs a new code to come back.`
          }
          confirm="Revoke"
          danger
          onConfirm={async () => {
            await host.devices.remove(revoking.id);
            attempt(Promise.resolve());
          }}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </section>
  );
}

interface DeviceRowProps {
  readonly device: Device;
  readonly now: number;
  readonly isOwn: boolean;
  readonly isLastOwner: boolean;
  readonly onRole: (role: Role) => void;
  readonly onRevoke: () => void;
}

function DeviceRow({ device, now, isOwn, isLastOwner, onRole, onRevoke }: DeviceRowProps) {
  const { name, user, role, createdAt, lastSeenAt, isConnected, shared, only } = device;
  const Icon = shared ? Link : ICONS[deviceKind(name)];
  const added = `added ${ago(createdAt, now)}`;
  const end = shared && `read-only link, ends on ${endText(shared.endsAt)}`;
  const purpose = only && 'a program that reads /metrics of the host';
  const about = end ?? purpose ?? [isOwn ? name : user, added].filter(Boolean).join(', ');
  return (
    <li className="dr">
      <Icon size={20} aria-hidden />
      <div className="grow">
        <b className="clip">{isOwn ? 'This browser' : name}</b>
        <small className="clip">{about.charAt(0).toUpperCase() + about.slice(1)}</small>
      </div>
      <span className="stt num">
        <i className={isConnected ? 'dot' : 'off-dot'} />
        {isConnected ? 'now' : lastSeenAt === undefined ? 'never seen' : `seen ${ago(lastSeenAt, now)}`}
      </span>
      {isOwn || isLastOwner || shared || only ? (
        <span className="role-text">{roleName(role)}</span>
      ) : (
        <select
          className="role"
          aria-label={`Role of ${name}`}
          value={role}
          onChange={(event) => onRole(event.target.value as Role)}
        >
          {ALL_ROLES.map((one) => (
            <option key={one} value={one}>
              {roleName(one)}
            </option>
          ))}
        </select>
      )}
      <span className="revoke">
        {!isOwn && (
          <button
            type="button"
            className="btn quiet sm bad"
            aria-label={`Revoke ${name}`}
            disabled={isLastOwner}
            title={isLastOwner ? 'The last owner can’t be revoked here.' : undefined}
            onClick={onRevoke}
          >
            Revoke
          </button>
        )}
      </span>
    </li>
  );
}
