import type { RunningLogin } from '@agenthost/client';
import type { AgentInfo } from '@agenthost/protocol';
import { Copy, ExternalLink, SquareTerminal } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { PageHost } from '../app/pagePlace.js';
import { problemText } from '../app/problemText.js';
import { openTerminal } from '../terminal/openTerminal.js';
import { type LoginOffer, loginOffer } from './loginOffer.js';
import { useFirstFocus } from './useFirstFocus.js';

const ROWS = 12;
/** For a window that is not higher than this, so that the dialog fits. */
const LOW = 800;
const LOW_ROWS = 9;

interface OwnLoginProps {
  readonly host: PageHost;
  readonly agent: AgentInfo;
  readonly onCancel: () => void;
  readonly onDone: () => void;
}

type State = { readonly is: 'starting' | 'running' } | { readonly is: 'failed'; readonly why: string };

/** The agent's own log-in program, in a terminal. Closes by itself when it succeeded. */
export function OwnLogin(props: OwnLoginProps) {
  const [attempt, setAttempt] = useState(1);
  return <Attempt key={attempt} {...props} onAgain={() => setAttempt(attempt + 1)} />;
}

function Attempt({ host, agent, onCancel, onDone, onAgain }: OwnLoginProps & { readonly onAgain: () => void }) {
  const place = useRef<HTMLDivElement>(null);
  const done = useRef(onDone);
  done.current = onDone;
  const [state, setState] = useState<State>({ is: 'starting' });
  const [offer, setOffer] = useState<LoginOffer>({});
  const { provider, displayName, login } = agent;
  const { logins } = host.provider.status;
  useEffect(() => {
    const { current } = place;
    if (!current) return;
    let isOver = false;
    let running: RunningLogin | undefined;
    // What is typed or resized after the end is of no use.
    const ignore = () => undefined;
    const terminal = openTerminal(current, {
      label: `Log-in program of ${displayName}`,
      rows: innerHeight <= LOW ? LOW_ROWS : ROWS,
      onInput: (data) => void running?.type(data).catch(ignore),
      onResize: (size) => void running?.resize(size).catch(ignore),
      onScreen: (lines) => setOffer(loginOffer(lines)),
    });
    const run = async () => {
      running = await logins.begin(provider, terminal.size, { onOutput: (data) => void terminal.write(data) });
      if (isOver) {
        await running.end();
        return;
      }
      setState({ is: 'running' });
      terminal.focus();
      const { isLoggedIn, message } = await running.ended;
      if (isOver) return;
      if (isLoggedIn) done.current();
      else setState({ is: 'failed', why: message });
    };
    run().catch((error: unknown) => {
      if (!isOver) setState({ is: 'failed', why: problemText(error) });
    });
    return () => {
      isOver = true;
      running?.end().catch(ignore);
      terminal.dispose();
    };
  }, [logins, provider, displayName]);
  const failed = state.is === 'failed';
  const again = useFirstFocus<HTMLButtonElement>(failed);
  return (
    <>
      <div className="login-b">
        {!failed && <Offer offer={offer} />}
        <figure className="login-term">
          <figcaption>
            <SquareTerminal size={14} aria-hidden />
            <span className="grow clip">{login?.command}</span>
            <span className={failed ? 'exit bad' : 'exit run'}>{failed ? 'failed' : state.is}</span>
          </figcaption>
          <div className="login-screen" ref={place} />
        </figure>
        <p className="why">
          This is the agent’s own program on {host.name}. You can type in it; Tab leaves it. What you enter goes to the
          agent, agenthost doesn’t keep it.
        </p>
        {failed && (
          <p className="why bad" role="alert">
            {state.why}
          </p>
        )}
      </div>
      <div className="login-f">
        <span className="grow" role="status">
          {failed ? `${displayName} is not logged in.` : `Closes by itself when ${displayName} is logged in.`}
        </span>
        <button type="button" className="btn quiet" onClick={onCancel}>
          Cancel
        </button>
        {failed && (
          <button type="button" className="btn primary" ref={again} onClick={onAgain}>
            Try again
          </button>
        )}
      </div>
    </>
  );
}

/** A code and an address, out of the terminal. The address is shown whole: the program is not trusted. */
function Offer({ offer: { code, address } }: { readonly offer: LoginOffer }) {
  const [isCopied, setCopied] = useState(false);
  const shown = code ?? address;
  if (shown === undefined) return null;
  const copy = () =>
    void navigator.clipboard.writeText(shown).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  return (
    <div className="login-offer" role="status">
      <div className="grow">
        <small>{code === undefined ? 'Open this page' : 'Your code'}</small>
        {code !== undefined && <span className="login-code">{code}</span>}
        {address !== undefined && <span className="login-address">{address}</span>}
      </div>
      <button type="button" className="btn plain" onClick={copy}>
        <Copy size={14} aria-hidden />
        {isCopied ? 'Copied' : 'Copy'}
      </button>
      {address !== undefined && (
        <a className="btn primary" href={address} target="_blank" rel="noopener noreferrer">
          Open the page
          <ExternalLink size={14} aria-hidden />
        </a>
      )}
    </div>
  );
}
