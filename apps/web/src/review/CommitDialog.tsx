import { type FormEvent, useState } from 'react';
import { problemText } from '../app/problemText.js';
import { Problem } from '../controls/Problem.js';
import { Dialog } from '../overlays/Dialog.js';

interface CommitDialogProps {
  readonly count: number;
  readonly branch: string | undefined;
  readonly suggestion: string;
  readonly onCommit: (message: string) => Promise<void>;
  readonly onClose: () => void;
}

export function CommitDialog({ count, branch, suggestion, onCommit, onClose }: CommitDialogProps) {
  const [message, setMessage] = useState(suggestion);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const submit = async (event?: FormEvent) => {
    event?.preventDefault();
    if (message.trim() === '' || isBusy) return;
    setBusy(true);
    try {
      await onCommit(message.trim());
      onClose();
    } catch (error) {
      setProblem(problemText(error));
      setBusy(false);
    }
  };
  return (
    <Dialog label="Commit" className="ask-dialog" onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <h2>Commit</h2>
        <p>
          {count === 1 ? '1 file' : `${count} files`}
          {branch !== undefined && ` to ${branch}`}. The repository's hooks don't run.
        </p>
        <textarea
          autoFocus
          className="cm-msg"
          rows={4}
          aria-label="Message"
          value={message}
          onChange={(event) => setMessage(event.target.value)}
          onFocus={(event) => event.target.select()}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit();
          }}
        />
        <Problem text={problem} />
        <div className="acts">
          <button type="button" className="btn quiet" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="btn primary" disabled={isBusy || message.trim() === ''}>
            Commit
          </button>
        </div>
      </form>
    </Dialog>
  );
}
