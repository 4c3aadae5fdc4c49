import type { PreviewMergeResult, Several } from '@agenthost/protocol';
import type { ChatModel } from '@agenthost/sessions';
import { type FormEvent, useEffect, useState } from 'react';
import type { PageHost } from '../app/pagePlace.js';
import { problemText } from '../app/problemText.js';
import { Problem } from '../controls/Problem.js';
import { Dialog } from '../overlays/Dialog.js';
import { conflictMessage } from '../review/conflictMessage.js';

interface LandDialogProps {
  readonly host: PageHost;
  readonly group: Several;
  readonly uri: string;
  readonly name: string;
  /** Of the session: the proposed message. */
  readonly title: string;
  readonly model: ChatModel;
  readonly onClose: () => void;
}

/** What becomes of it, before it is done: the commit, the merge, and the others. */
export function LandDialog({ host, group, uri, name, title, model, onClose }: LandDialogProps) {
  const { work, several } = host.provider.status;
  const [preview, setPreview] = useState<PreviewMergeResult>();
  const [message, setMessage] = useState(title);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    let isStopped = false;
    work.previewMerge(uri).then(
      (found) => !isStopped && setPreview(found),
      (error: unknown) => !isStopped && setProblem(problemText(error)),
    );
    return () => {
      isStopped = true;
    };
  }, [work, uri]);
  const needsCommit = (preview?.uncommitted ?? 0) > 0;
  const conflicts = preview?.conflicts.count ?? 0;
  const isEmpty = preview !== undefined && preview.ahead === 0 && !needsCommit;
  const attempt = async (doing: () => Promise<unknown>) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await doing();
      onClose();
    } catch (error) {
      setProblem(problemText(error));
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!preview || isBusy || isEmpty || (needsCommit && message.trim() === '')) return;
    if (conflicts > 0) void attempt(() => model.submit(conflictMessage(preview)));
    else
      void attempt(() =>
        several.land(group, uri, { into: preview.into, ...(needsCommit && { commit: message.trim() }) }),
      );
  };
  const others = group.members.length - 1;
  return (
    <Dialog label={`Land the work of ${name}`} className="ask-dialog" onClose={onClose}>
      <form onSubmit={submit}>
        <h2>Land the work of {name}?</h2>
        {preview && <p>{landText(preview, name)}</p>}
        {!preview && problem === undefined && <p role="status">Looking at what would be merged…</p>}
        {needsCommit && conflicts === 0 && (
          <textarea
            autoFocus
            className="cm-msg"
            rows={3}
            aria-label="Message of the commit"
            value={message}
            onChange={(event) => setMessage(event.target.value)}
          />
        )}
        {preview && conflicts === 0 && !isEmpty && (
          <p>
            {others === 1 ? 'The other session is' : `The ${others} other sessions are`} stopped and archived.{' '}
            {others === 1 ? 'Its worktree stays' : 'Their worktrees stay'} until you delete{' '}
            {others === 1 ? 'it' : 'them'}.
          </p>
        )}
        <Problem text={problem} />
        <div className="acts">
          <button type="button" className="btn quiet" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="btn primary" disabled={!preview || isBusy || isEmpty}>
            {conflicts > 0 ? `Ask ${name} to resolve` : preview ? `Merge into ${preview.into}` : 'Merge'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function landText({ branch, into, ahead, uncommitted, conflicts, blocked }: PreviewMergeResult, name: string): string {
  if (ahead === 0 && uncommitted === 0) return `${branch} has nothing that ${into} lacks.`;
  if (conflicts.count > 0) {
    const files = conflicts.count === 1 ? '1 file conflicts' : `${conflicts.count} files conflict`;
    return `${files} with ${into}: ${conflicts.paths.slice(0, 5).join(', ')}. ${name} can resolve that.`;
  }
  const commits = ahead === 0 ? [] : [ahead === 1 ? '1 commit' : `${ahead} commits`];
  const files = uncommitted === 0 ? [] : [`${uncommitted === 1 ? '1 file' : `${uncommitted} files`}, committed first,`];
  const refused = blocked ? ` ${into} is checked out in ${blocked.folder} with work that is not committed.` : '';
  return `${[...commits, ...files].join(' and ')} of ${branch} go into ${into}.${refused}`;
}
