import type { ChatPhase } from '@agenthost/sessions';
import { CircleAlert, Unplug, WifiOff, X } from 'lucide-react';
import { useState } from 'react';
import type { PageHost } from '../app/pageHosts.js';
import { problemText } from '../app/problemText.js';
import { useServices } from '../app/services.js';
import { useNow } from '../app/useNow.js';
import { useObservable } from '../app/useObservable.js';
import { AskDialog } from '../overlays/AskDialog.js';
import { clock } from './times.js';

interface BannerProps {
  readonly host: PageHost;
  readonly phase?: ChatPhase;
  readonly problem?: string | undefined;
  readonly onDismiss?: () => void;
  readonly onRetry?: () => void;
}

/** What is wrong and what to do, in a sentence, above what it is about. Nothing where nothing is. */
export function Banner({ host, phase, problem, onDismiss, onRetry }: BannerProps) {
  const { hosts } = useServices();
  const connection = useObservable(host.connection);
  const staleSince = useObservable(host.provider.status.staleSince);
  const now = useNow(connection.state === 'reconnecting' || phase?.state === 'interrupted', 500);
  const [signingIn, setSigningIn] = useState(false);
  if (connection.state === 'closed' && connection.reason.name === 'UnauthorizedError') {
    return (
      <div className="banner" role="alert">
        <Unplug size={16} aria-hidden />
        <span className="grow">
          <b>{host.name} doesn't take this token.</b> It is wrong, or was rotated. Paste a current one:{' '}
          <code>agenthost token show</code> prints it.
        </span>
        <button type="button" className="btn plain sm" onClick={() => setSigningIn(true)}>
          Paste a token
        </button>
        {signingIn && (
          <AskDialog
            title={`Token of ${host.name}`}
            text="It is kept in this tab alone."
            confirm="Connect"
            value=""
            secret
            onConfirm={async (token) => void hosts.signIn(host, token)}
            onClose={() => setSigningIn(false)}
          />
        )}
      </div>
    );
  }
  if (connection.state === 'closed') {
    return (
      <div className="banner" role="alert">
        <Unplug size={16} aria-hidden />
        <span className="grow">
          <b>The connection to {host.name} is closed.</b> {connection.reason.message} Reload the page to connect again.
        </span>
      </div>
    );
  }
  if (connection.state === 'reconnecting') {
    return (
      <div className="banner" role="status">
        <WifiOff size={16} aria-hidden />
        <span className="grow num">
          <b>{host.name} isn't answering.</b> Reconnecting {soon(connection.at, now)}, attempt {connection.attempt}.
          {staleSince !== undefined && ` You see the state of ${clock(staleSince, true)}.`}
        </span>
        <button type="button" className="btn plain sm" onClick={() => host.provider.status.retryNow()}>
          Try now
        </button>
      </div>
    );
  }
  if (phase?.state === 'gone') {
    return (
      <div className="banner" role="alert">
        <CircleAlert size={16} aria-hidden />
        <span className="grow">
          <b>This session was deleted.</b> Somebody removed it from {host.name}. What you see is how it was last; what
          you wrote below is kept until you leave.
        </span>
      </div>
    );
  }
  if (phase?.state === 'interrupted') {
    return (
      <div className="banner" role="status">
        <CircleAlert size={16} aria-hidden />
        <span className="grow num">
          <b>{host.name} can't load this session right now.</b> {problemText(phase.error)} Trying again{' '}
          {soon(phase.at, now)}, attempt {phase.attempt}. What you send is kept until then.
        </span>
        <button type="button" className="btn plain sm" onClick={onRetry}>
          Try now
        </button>
      </div>
    );
  }
  const failure = phase?.state === 'failed' ? problemText(phase.error) : problem;
  if (failure === undefined) return null;
  return (
    <div className="banner" role="alert">
      <CircleAlert size={16} aria-hidden />
      <span className="grow">{failure}</span>
      {onDismiss && phase?.state !== 'failed' && (
        <button type="button" className="ib sm" aria-label="Dismiss" onClick={onDismiss}>
          <X size={14} aria-hidden />
        </button>
      )}
    </div>
  );
}

function soon(at: number, now: number): string {
  const seconds = Math.max(0, Math.ceil((at - now) / 1000));
  return seconds === 0 ? 'now' : `in ${seconds} s`;
}
