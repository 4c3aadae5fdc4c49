import { type FormEvent, useId, useState } from 'react';
import type { PageHost } from '../app/pagePlace.js';
import { problemText } from '../app/problemText.js';
import { useServices } from '../app/services.js';
import { Problem } from '../controls/Problem.js';

interface SignInProps {
  readonly host: PageHost;
  /** Whether this browser has never had access, which is no mistake. */
  readonly isNew: boolean;
}

/** The view of a browser that may not reach the host that serves the page. */
export function SignIn({ host, isNew }: SignInProps) {
  const { hosts } = useServices();
  const id = useId();
  const [pasted, setPasted] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (pasted.trim() === '') return;
    setBusy(true);
    hosts.signIn(host, pasted).catch((error: unknown) => {
      setBusy(false);
      setProblem(problemText(error));
    });
  };
  return (
    <form className="sign-in" onSubmit={submit}>
      <h1>{isNew ? 'Open the link that agenthost printed' : `${host.name} doesn't accept this token`}</h1>
      <p className="lede">
        {isNew ? 'This browser has no access yet.' : 'It is wrong, or was replaced, or this device was revoked.'} The
        link is in the terminal where agenthost runs, and <code>agenthost token show</code> prints it again. A device
        that has access shows a code for this one under Settings, Devices.
      </p>
      <label htmlFor={id}>Or paste the link here</label>
      <div className="acts">
        <input
          id={id}
          type="password"
          autoComplete="off"
          value={pasted}
          onChange={(event) => setPasted(event.target.value)}
        />
        <button type="submit" className="btn primary tall" disabled={busy}>
          Connect
        </button>
      </div>
      <Problem text={problem} />
    </form>
  );
}
