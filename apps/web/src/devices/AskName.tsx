import { type FormEvent, useState } from 'react';
import { useServices } from '../app/services.js';
import { useObservable } from '../app/useObservable.js';

/** Asks once for the user's name; Settings has it later. */
export function AskName() {
  const { hosts, settings } = useServices();
  const { userName, isNameAsked } = useObservable(settings.value);
  const [name, setName] = useState('');
  if (userName !== '' || isNameAsked) return null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    settings.update({ isNameAsked: true });
    hosts.setUserName(name.trim());
  };
  return (
    <form className="ask-name" onSubmit={submit}>
      <label className="grow">
        Your name, as others see it
        <input value={name} maxLength={60} autoComplete="name" onChange={(event) => setName(event.target.value)} />
      </label>
      <button type="submit" className="btn plain">
        {name.trim() === '' ? 'Not now' : 'Save'}
      </button>
    </form>
  );
}
