import '../devices/devices.css';
import type { ShareSessionResult } from '@agenthost/protocol';
import { useState } from 'react';
import type { PageHost } from '../app/pagePlace.js';
import { useAttempt } from '../app/useAttempt.js';
import { CloseButton } from '../controls/CloseButton.js';
import { CopyButton } from '../controls/CopyButton.js';
import { Problem } from '../controls/Problem.js';
import { QrCode } from '../devices/QrCode.js';
import { Dialog } from '../overlays/Dialog.js';
import { endText } from './linkNote.js';

interface ShareDialogProps {
  readonly host: PageHost;
  /** Its URI on the host. */
  readonly session: string;
  readonly title: string;
  readonly onClose: () => void;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const TIMES = [
  { label: '1 hour', ms: HOUR },
  { label: '1 day', ms: DAY },
  { label: '7 days', ms: 7 * DAY },
  { label: '30 days', ms: 30 * DAY },
] as const;

/** Makes a link with which others can read one session, for a while. */
export function ShareDialog({ host, session, title, onClose }: ShareDialogProps) {
  const [validMs, setValidMs] = useState<number>(7 * DAY);
  const [made, setMade] = useState<ShareSessionResult>();
  const [busy, setBusy] = useState(false);
  const { problem, attempt } = useAttempt();
  const link = made && `${new URL(made.address ?? host.url).href}#share=${made.token}`;
  const make = () => {
    setBusy(true);
    const sharing = host.devices.share({ session, validMs, name: title.slice(0, 200) }).then(setMade);
    attempt(sharing.finally(() => setBusy(false)));
  };
  return (
    <Dialog label="Share a read-only link" className="dlg" onClose={onClose} focusSelf>
      <div className="dlg-h">
        <h2 className="grow">Share a read-only link</h2>
        <CloseButton onClose={onClose} />
      </div>
      {made && link !== undefined ? (
        <div className="dlg-b pairg">
          <div className="qr">
            <div className="qp">
              <QrCode text={link} label="QR code of the link" />
            </div>
          </div>
          <div className="pair-side">
            <p>
              Whoever has this link can read this session until {endText(made.endsAt)}, and nothing else. It is not
              shown again; Settings, Devices lists it and revokes it.
            </p>
            <div className="lnk">
              <span className="clip grow">{link.replace(/^https?:\/\//, '')}</span>
              <CopyButton text={link} label="Copy the link" />
            </div>
            {isForThisMachine(link) && (
              <p className="why">
                {new URL(link).hostname} is for this machine only. Start the host with --lan or --public-url, so that
                others can reach it.
              </p>
            )}
          </div>
        </div>
      ) : (
        <div className="dlg-b pair-side">
          <p>
            Others can read this conversation, its files and what follows, without a list, other sessions or a way to
            write.
          </p>
          <fieldset className="fq">
            <legend>How long does it work?</legend>
            {TIMES.map(({ label, ms }) => (
              <label key={ms} className="rad">
                <input type="radio" name="time" checked={validMs === ms} onChange={() => setValidMs(ms)} />
                <span className="rt">
                  <b>{label}</b>
                </span>
              </label>
            ))}
          </fieldset>
          <Problem text={problem} />
        </div>
      )}
      <div className="dlg-f">
        <span className="grow" />
        <button type="button" className="btn plain" onClick={onClose}>
          {made ? 'Done' : 'Cancel'}
        </button>
        {!made && (
          <button type="button" className="btn primary" disabled={busy} onClick={make}>
            Make the link
          </button>
        )}
      </div>
    </Dialog>
  );
}

function isForThisMachine(link: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(link).hostname);
}
