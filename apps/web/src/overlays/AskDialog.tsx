import { type FormEvent, useState } from 'react';
import { problemText } from '../app/problemText.js';
import { Problem } from '../controls/Problem.js';
import { Dialog } from './Dialog.js';

interface AskDialogProps {
  readonly title: string;
  readonly text?: string;
  readonly confirm: string;
  readonly danger?: boolean;
  /** Asks for a line of text when given, with this initial value. */
  readonly value?: string;
  readonly valueLabel?: string;
  readonly secret?: boolean;
  /** Rejects with a text for the user; the dialog then stays open. */
  readonly onConfirm: (value: string) => Promise<void>;
  readonly onClose: () => void;
}

/** One question with one answer: a name, a token, a confirmation. */
export function AskDialog({
  title,
  text,
  confirm,
  danger,
  value,
  valueLabel,
  secret,
  onConfirm,
  onClose,
}: AskDialogProps) {
  const [typed, setTyped] = useState(value ?? '');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (value !== undefined && typed.trim() === '') return;
    setBusy(true);
    try {
      await onConfirm(typed.trim());
      onClose();
    } catch (error) {
      setProblem(problemText(error));
      setBusy(false);
    }
  };
  return (
    <Dialog label={title} className="ask-dialog" onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <h2>{title}</h2>
        {text && <p>{text}</p>}
        {value !== undefined && (
          <input
            autoFocus
            type={secret ? 'password' : 'text'}
            autoComplete="off"
            value={typed}
            aria-label={valueLabel ?? title}
            placeholder={valueLabel}
            onChange={(event) => setTyped(event.target.value)}
            onFocus={(event) => event.target.select()}
          />
        )}
        <Problem text={problem} />
        <div className="acts">
          <button type="button" className="btn quiet" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className={danger ? 'btn danger' : 'btn primary'} disabled={busy}>
            {confirm}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
