import './devices.css';
import type { Role } from '@agenthost/protocol';
import { Check, Clock, LoaderCircle } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { PageHost } from '../app/pagePlace.js';
import { useNow } from '../app/useNow.js';
import { CloseButton } from '../controls/CloseButton.js';
import { CopyButton } from '../controls/CopyButton.js';
import { Problem } from '../controls/Problem.js';
import { Dialog } from '../overlays/Dialog.js';
import { QrCode } from './QrCode.js';
import { remainingTime } from './remainingTime.js';
import { PHONE_ROLES, roleName } from './roleTexts.js';
import { usePairing } from './usePairing.js';

interface PairDialogProps {
  readonly host: PageHost;
  readonly onClose: () => void;
}

/** How long the tick is shown before the dialog closes. */
const DONE_MS = 1_500;

/** Shows a code that lets one other device in. */
export function PairDialog({ host, onClose }: PairDialogProps) {
  const [role, setRole] = useState<Role>('approver');
  const { pairing, progress, problem, makeNew } = usePairing(host.devices, role);
  const now = useNow(pairing !== undefined);
  const isConnected = progress?.state === 'connected';
  const isExpired = !isConnected && (progress?.state === 'expired' || (pairing !== undefined && pairing.until <= now));
  const link = pairing && `${new URL(pairing.address ?? host.url).href}#pair=${pairing.code}`;
  useEffect(() => {
    if (!isConnected) return;
    const timer = setTimeout(onClose, DONE_MS);
    return () => clearTimeout(timer);
  }, [isConnected, onClose]);
  useEffect(() => {
    const pressed = ({ key, ctrlKey, altKey, metaKey }: KeyboardEvent) => {
      const chosen = PHONE_ROLES[Number(key) - 1];
      if (chosen && !ctrlKey && !altKey && !metaKey) setRole(chosen.role);
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, []);
  return (
    <Dialog label="Add a phone" className="dlg" onClose={onClose} focusSelf>
      <div className="dlg-h">
        <h2 className="grow">Add a phone</h2>
        <CloseButton onClose={onClose} />
      </div>
      <div className="dlg-b pairg">
        <div className="qr">
          <div className={isExpired ? 'qp over' : 'qp'} aria-busy={!pairing}>
            {link !== undefined && <QrCode text={link} label="QR code of the link" />}
          </div>
          {isExpired ? (
            <button type="button" className="btn primary" onClick={makeNew}>
              Make a new code
            </button>
          ) : (
            <>
              <span className="exp">
                <Clock size={14} aria-hidden />
                {pairing ? (
                  <>
                    Expires in <b>{remainingTime(pairing.until - now)}</b>
                  </>
                ) : (
                  'Making a code…'
                )}
              </span>
              <span className="wrd">
                <small>The phone must show</small>
                {pairing?.words ?? '…'}
              </span>
            </>
          )}
        </div>
        <div className="pair-side">
          <p>Scan it with the phone's camera. It works once, and only for the role you choose.</p>
          <fieldset className="fq">
            <legend>What may this phone do?</legend>
            {PHONE_ROLES.map(({ role: one, text }, index) => (
              <label key={one} className="rad">
                <input type="radio" name="role" checked={role === one} onChange={() => setRole(one)} />
                <span className="rt">
                  <b>{roleName(one)}</b>
                  <kbd aria-hidden="true">{index + 1}</kbd>
                </span>
                <small>{text}</small>
              </label>
            ))}
          </fieldset>
          {link !== undefined && !isExpired && (
            <div className="lnk">
              <span className="clip grow">{link.replace(/^https?:\/\//, '')}</span>
              <CopyButton text={link} label="Copy the link" />
            </div>
          )}
          <Problem text={problem} />
        </div>
      </div>
      <div className="dlg-f">
        <span className="grow pair-state" role="status">
          {isConnected ? (
            <>
              <Check size={16} className="ok" aria-hidden />
              {progress.name ?? 'The phone'} is connected
            </>
          ) : isExpired ? (
            'The code has expired.'
          ) : (
            <>
              <LoaderCircle size={14} className="spin" aria-hidden />
              {progress?.state === 'scanned' ? `${progress.name} is connecting…` : waitingText(link)}
            </>
          )}
        </span>
        {!isExpired && !isConnected && (
          <button type="button" className="btn quiet" onClick={makeNew} disabled={!pairing && !problem}>
            New code
          </button>
        )}
        <button type="button" className="btn plain" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  );
}

/** A phone can't reach an address that means "this machine". */
function waitingText(link: string | undefined): string {
  const name = link === undefined ? '' : new URL(link).hostname;
  if (/^(localhost|127(\.\d+){3}|\[::1\])$/.test(name))
    return `${name} is for this machine only. Start the host with --lan or --public-url, so that phones can reach it.`;
  return 'Waiting for the phone. Both must be in the same network.';
}
