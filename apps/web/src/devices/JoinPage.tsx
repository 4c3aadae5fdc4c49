import './devices.css';
import './join.css';
import { Check, Minus, ShieldCheck, Smartphone, User } from 'lucide-react';
import { type FormEvent, useCallback, useEffect, useState } from 'react';
import { problemText } from '../app/problemText.js';
import { applyTheme, SettingsStore } from '../app/settings.js';
import { saveToken } from '../app/tokens.js';
import { useNow } from '../app/useNow.js';
import { Problem } from '../controls/Problem.js';
import { Brand } from '../list/Brand.js';
import { deviceKind, phoneName } from './deviceNames.js';
import { JoinError, lookAtCode, type Offer, redeemCode } from './joinRequests.js';
import { remainingTime } from './remainingTime.js';
import { abilities, roleName } from './roleTexts.js';

interface JoinPageProps {
  readonly code: string;
  /** With or without access. */
  readonly onEnd: () => void;
}

const KIND = { phone: 'phone', tablet: 'tablet', computer: 'browser' }[deviceKind(phoneName(''))];

/** The first screen of a device that opened a link with a code. */
export function JoinPage({ code, onEnd }: JoinPageProps) {
  const [settings] = useState(() => new SettingsStore());
  const [user, setUser] = useState(settings.value.value.userName);
  const [typedName, setTypedName] = useState<string>();
  const [offer, setOffer] = useState<Offer & { readonly until: number }>();
  const [failure, setFailure] = useState<JoinError>();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const now = useNow(offer !== undefined);
  const name = typedName ?? phoneName(user);
  const fail = useCallback((error: unknown) => {
    setBusy(false);
    if (error instanceof JoinError && error.failure !== 'refused') setFailure(error);
    else setProblem(problemText(error));
  }, []);
  const look = useCallback(() => {
    setFailure(undefined);
    lookAtCode(code, phoneName(settings.value.value.userName)).then(
      (found) => setOffer({ ...found, until: Date.now() + found.validMs }),
      fail,
    );
  }, [code, settings, fail]);
  useEffect(() => applyTheme(settings.value.value.theme), [settings]);
  useEffect(look, [look]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    redeemCode(code, name, user.trim()).then((token) => {
      settings.update({ userName: user.trim(), isNameAsked: true });
      saveToken(location.origin, token, true);
      onEnd();
    }, fail);
  };
  if (failure || (offer && offer.until <= now)) {
    return (
      <Refused failure={failure ?? new JoinError('expired', 'This code has expired')} onRetry={look} onEnd={onEnd} />
    );
  }
  if (!offer) {
    return (
      <main className="join" aria-busy="true">
        <JoinBrand />
        <p className="lede" role="status">
          Asking {location.hostname}…
        </p>
      </main>
    );
  }
  const { machine, role, words, until } = offer;
  const { can, not } = abilities(role, machine);
  return (
    <main className="join">
      <JoinBrand />
      <form onSubmit={submit}>
        <h1>
          Connect this {KIND} to {machine}
        </h1>
        <p className="lede">You will see its sessions here, and what needs you.</p>
        <div className="rows">
          <div className="dr">
            <ShieldCheck size={20} aria-hidden />
            <div className="grow">
              <small>The same words as on {machine}?</small>
              <span className="words">{words}</span>
            </div>
          </div>
          <label className="dr">
            <User size={20} aria-hidden />
            <span className="grow">
              <small>Your name, as others see it</small>
              <input
                value={user}
                maxLength={60}
                autoComplete="name"
                onChange={(event) => setUser(event.target.value)}
              />
            </span>
          </label>
          <label className="dr">
            <Smartphone size={20} aria-hidden />
            <span className="grow">
              <small>Name of this {KIND}</small>
              <input
                value={name}
                required
                maxLength={60}
                autoComplete="off"
                onChange={(event) => setTypedName(event.target.value)}
              />
            </span>
          </label>
        </div>
        <ul className="can">
          {can.map((text) => (
            <li key={text}>
              <Check size={17} aria-hidden />
              {text}
            </li>
          ))}
          {not !== undefined && (
            <li className="no">
              <Minus size={17} aria-label="Not allowed:" role="img" />
              {not}
            </li>
          )}
        </ul>
        <span className="grow" />
        <Problem text={problem} />
        <button type="submit" className="btn primary" disabled={busy}>
          {busy ? 'Connecting…' : `Connect as ${roleName(role)}`}
        </button>
        <button type="button" className="btn quiet" onClick={onEnd}>
          Not now
        </button>
        <p className="foot num">The code works for {remainingTime(until - now)} more.</p>
      </form>
    </main>
  );
}

interface RefusedProps {
  readonly failure: JoinError;
  readonly onRetry: () => void;
  readonly onEnd: () => void;
}

function Refused({ failure, onRetry, onEnd }: RefusedProps) {
  const isAway = failure.failure === 'unreachable';
  return (
    <main className="join">
      <JoinBrand />
      <form onSubmit={(event) => event.preventDefault()}>
        <div role="alert">
          <h1>{failure.message}</h1>
        </div>
        <p className="lede">
          {isAway
            ? 'This device must be in the same network as the host, or reach it in another way.'
            : 'Make a new code on a device that has access: Settings, Devices, Add a phone.'}
        </p>
        <span className="grow" />
        {isAway && (
          <button type="button" className="btn primary" onClick={onRetry}>
            Try again
          </button>
        )}
        <button type="button" className="btn quiet" onClick={onEnd}>
          {isAway ? 'Not now' : 'Open the page'}
        </button>
      </form>
    </main>
  );
}

function JoinBrand() {
  return (
    <span className="brand">
      <Brand />
      Agent Sessions
    </span>
  );
}
