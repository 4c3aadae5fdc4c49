import type { AgentInfo } from '@agenthost/protocol';
import { Eye, EyeOff } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import type { PageHost } from '../app/pagePlace.js';
import { problemText } from '../app/problemText.js';
import { Problem } from '../controls/Problem.js';
import { useFirstFocus } from './useFirstFocus.js';

interface KeyFormProps {
  readonly host: PageHost;
  readonly agent: AgentInfo;
  readonly onCancel: () => void;
  readonly onDone: () => void;
}

/** Takes a key for an agent. It is sent to the host once, and the page forgets it. */
export function KeyForm({ host, agent, onCancel, onDone }: KeyFormProps) {
  const [key, setKey] = useState('');
  const [isShown, setShown] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [note, setNote] = useState<string>();
  const field = useId();
  const input = useFirstFocus<HTMLInputElement>();
  const button = useFirstFocus<HTMLButtonElement>(note !== undefined);
  const { displayName, login } = agent;
  const isChecked = login?.key?.isChecked === true;
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const text = key.trim();
    if (text === '' || isBusy) return;
    setBusy(true);
    setProblem(undefined);
    try {
      const wasChecked = await host.provider.status.logins.setKey(agent.provider, text);
      setKey('');
      if (wasChecked) onDone();
      else setNote('The key is saved. It could not be checked: the first turn shows whether it works.');
    } catch (error) {
      setProblem(problemText(error));
    } finally {
      setBusy(false);
    }
  };
  if (note !== undefined) {
    return (
      <>
        <p className="login-b" role="status">
          {note}
        </p>
        <div className="login-f">
          <span className="grow" />
          <button type="button" className="btn primary" ref={button} onClick={onDone}>
            Done
          </button>
        </div>
      </>
    );
  }
  return (
    <form onSubmit={(event) => void save(event)} autoComplete="off">
      <div className="login-b">
        <label className="login-label" htmlFor={field}>
          Key
        </label>
        <div className="key-field">
          <input
            id={field}
            ref={input}
            type={isShown ? 'text' : 'password'}
            autoComplete="off"
            spellCheck={false}
            maxLength={4_096}
            value={key}
            aria-describedby={`${field}-why`}
            onChange={(event) => setKey(event.target.value)}
          />
          <button
            type="button"
            className="ib sm"
            aria-label={isShown ? 'Hide the key' : 'Show the key'}
            aria-pressed={isShown}
            onClick={() => setShown(!isShown)}
          >
            {isShown ? <EyeOff size={15} aria-hidden /> : <Eye size={15} aria-hidden />}
          </button>
        </div>
        <p className="why" id={`${field}-why`}>
          Kept on {host.name}, readable only by its user, and given to {displayName} as{' '}
          <code>{login?.key?.variable}</code> when it starts. Never sent to this browser again.
        </p>
        <Problem text={problem} />
      </div>
      <div className="login-f">
        <span className="grow">
          {isChecked
            ? `Checked once with the vendor of ${displayName} before it is saved.`
            : 'Not checked before it is saved.'}
        </span>
        <button type="button" className="btn quiet" onClick={onCancel}>
          Cancel
        </button>
        <button type="submit" className="btn primary" disabled={isBusy || key.trim() === ''}>
          {isBusy ? 'Checking' : 'Save key'}
        </button>
      </div>
    </form>
  );
}
