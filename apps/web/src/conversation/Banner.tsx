import type { ErrorInfo } from '@agenthost/protocol';
import type { ChatPhase } from '@agenthost/sessions';
import { CircleAlert, DatabaseZap, Unplug, WifiOff, X } from 'lucide-react';
import { useState } from 'react';
import { asHost, type PageHost, type PagePlace } from '../app/pagePlace.js';
import { problemText } from '../app/problemText.js';
import { useNow } from '../app/useNow.js';
import { useObservable } from '../app/useObservable.js';
import { useSignedOut } from '../app/useSignedOut.js';
import { SignInDialog } from '../overlays/SignInDialog.js';
import { clock } from './times.js';

interface BannerProps {
  readonly place: PagePlace;
  readonly phase?: ChatPhase;
  /** Why the session could not be created. */
  readonly creationError?: ErrorInfo | undefined;
  readonly problem?: string | undefined;
  readonly onDismiss?: () => void;
  readonly onRetry?: () => void;
}

/** A problem and what to do, in a sentence, above the affected view. Empty without a problem. */
export function Banner({ place, ...about }: BannerProps) {
  const host = asHost(place);
  return host ? <HostBanner host={host} {...about} /> : <ChatBanner place={place} {...about} />;
}

function HostBanner({ host, ...about }: Omit<BannerProps, 'place'> & { readonly host: PageHost }) {
  const connection = useObservable(host.connection);
  const staleSince = useObservable(host.staleSince);
  const trouble = useObservable(host.provider.status.trouble);
  const now = useNow(connection.state === 'reconnecting', 500);
  const [signingIn, setSigningIn] = useState(false);
  const signedOut = useSignedOut(host);
  if (signedOut) {
    return (
      <div className="banner" role="alert">
        <Unplug size={16} aria-hidden />
        <span className="grow">
          {signedOut === 'new' ? (
            <b>Open the link that agenthost printed.</b>
          ) : (
            <>
              <b>{host.name} doesn't accept this token.</b> It is wrong, or was replaced, or this device was revoked.
            </>
          )}{' '}
          <code>agenthost token show</code> prints a current link.
        </span>
        <button type="button" className="btn plain sm" onClick={() => setSigningIn(true)}>
          Paste the link
        </button>
        {signingIn && <SignInDialog host={host} onClose={() => setSigningIn(false)} />}
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
  if (trouble !== undefined) {
    return (
      <div className="banner" role="status">
        <DatabaseZap size={16} aria-hidden />
        <span className="grow">{trouble}</span>
      </div>
    );
  }
  return <ChatBanner place={host} {...about} />;
}

/** Problems of the conversation itself. */
function ChatBanner({ place, phase, creationError, problem, onDismiss, onRetry }: BannerProps) {
  const now = useNow(phase?.state === 'interrupted', 500);
  if (phase?.state === 'gone') {
    return (
      <div className="banner" role="alert">
        <CircleAlert size={16} aria-hidden />
        <span className="grow">
          <b>This session was deleted.</b> It was removed from {place.name}. You see its last state; what you wrote
          below is kept until you leave.
        </span>
      </div>
    );
  }
  if (phase?.state === 'interrupted') {
    return (
      <div className="banner" role="status">
        <CircleAlert size={16} aria-hidden />
        <span className="grow num">
          <b>{place.name} can't load this session right now.</b> {problemText(phase.error)} Trying again{' '}
          {soon(phase.at, now)}, attempt {phase.attempt}. What you send is kept until then.
        </span>
        <button type="button" className="btn plain sm" onClick={onRetry}>
          Try now
        </button>
      </div>
    );
  }
  const failure = phase?.state === 'failed' ? problemText(phase.error) : problem;
  if (failure === undefined && creationError) {
    return (
      <div className="banner" role="alert">
        <CircleAlert size={16} aria-hidden />
        <span className="grow">
          <b>This session could not be created.</b> {creationError.message} What was sent to it was not run: copy what
          you need and start a new session.
        </span>
      </div>
    );
  }
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
