import type { ListChangesResult, PreviewMergeResult, SessionState } from '@agenthost/protocol';
import type { ChatModel } from '@agenthost/sessions';
import { Check, GitMerge, MessageSquare, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { PageHost } from '../app/pagePlace.js';
import { permissionError } from '../app/permissionError.js';
import { useObservable } from '../app/useObservable.js';
import { CloseButton } from '../controls/CloseButton.js';
import { AskDialog } from '../overlays/AskDialog.js';
import { Dialog } from '../overlays/Dialog.js';
import { CommitDialog } from './CommitDialog.js';
import { conflictMessage } from './conflictMessage.js';
import { useReview } from './reviewContext.js';
import type { ReviewActions } from './useActions.js';

interface ReviewFootProps {
  readonly host: PageHost;
  readonly uri: string;
  readonly state: SessionState | undefined;
  readonly model: ChatModel;
  /** Against the base. */
  readonly list: ListChangesResult | undefined;
  readonly actions: ReviewActions;
  readonly agentName: string;
  readonly isNarrow: boolean;
  readonly title: string;
  readonly onLanded: () => void;
}

type Open = 'commit' | 'merge' | 'sheet';

/** What comes next: send the comments, commit, merge. The next sensible step is in ink. */
export function ReviewFoot(props: ReviewFootProps) {
  const { host, uri, state, model, list, actions, agentName, isNarrow, title, onLanded } = props;
  const { why, mayComment } = useReview();
  const role = useObservable(host.role);
  const [open, setOpen] = useState<Open>();
  const may = (operation: Parameters<typeof permissionError>[1]) => permissionError(role, operation) === undefined;
  const { work } = host.provider.status;
  const hasGit = list?.source === 'git';
  const mayCommit = hasGit && may('commitChanges');
  const isRunning = state?.activeTurn !== undefined;
  const { preview, isChecking } = usePreview(props, mayCommit && why === undefined, [list?.head, list?.to, isRunning]);
  const off = why ?? (isRunning ? `${agentName} is working. Wait for the end of the turn.` : undefined);
  // Without a branch to merge into, what differs from the last commit is not known before it is committed.
  const uncommitted = preview?.uncommitted ?? list?.total ?? 0;
  const canMerge = preview !== undefined && preview.branch !== preview.into && preview.ahead > 0;
  const conflicts = preview?.conflicts.count ?? 0;
  const count = actions.toSend.length;
  const maySend = mayComment && may('session/turnStarted');
  const next = count > 0 && maySend ? 'send' : uncommitted > 0 ? 'commit' : canMerge ? 'merge' : undefined;
  const look = (step: string) => (next === step ? 'btn primary' : 'btn plain');
  const into = preview?.into ?? 'main';

  const commitButton = mayCommit && (
    <button
      type="button"
      className={look('commit')}
      disabled={off !== undefined || uncommitted === 0}
      title={off ?? (uncommitted === 0 ? 'Everything is committed' : undefined)}
      onClick={() => setOpen('commit')}
    >
      Commit…
    </button>
  );
  const mergeButtons = mayCommit && (canMerge || isChecking) && (
    <span className="mrg">
      <MergeHint isChecking={isChecking} conflicts={conflicts} />
      {conflicts > 0 && preview ? (
        <button
          type="button"
          className={look('merge')}
          disabled={why !== undefined}
          title={why}
          onClick={() => {
            setOpen(undefined);
            actions.attempt(model.submit(conflictMessage(preview)));
          }}
        >
          Ask {agentName} to resolve
        </button>
      ) : (
        <button
          type="button"
          className={look('merge')}
          disabled={off !== undefined || !canMerge}
          title={off}
          onClick={() => setOpen('merge')}
        >
          <GitMerge size={14} aria-hidden />
          Merge into {into}
        </button>
      )}
    </span>
  );
  const sendButton = maySend && count > 0 && (
    <button
      type="button"
      className={look('send')}
      disabled={!actions.send}
      title={why}
      onClick={() => actions.send?.()}
    >
      {sendText(count, isRunning)} {!isNarrow && <kbd aria-hidden="true">Ctrl ↵</kbd>}
    </button>
  );
  const dialogs = (
    <>
      {open === 'commit' && (
        <CommitDialog
          count={uncommitted}
          branch={preview?.branch}
          suggestion={title}
          onCommit={async (message) => {
            await work.commitChanges(uri, { message });
            onLanded();
          }}
          onClose={() => setOpen(undefined)}
        />
      )}
      {open === 'merge' && preview && (
        <AskDialog
          title={`Merge into ${preview.into}?`}
          text={mergeText(preview)}
          confirm="Merge"
          onConfirm={async () => {
            await work.mergeChanges(uri, { into: preview.into });
            onLanded();
          }}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
  if (isNarrow) {
    const hasLand = commitButton || mergeButtons;
    if (!hasLand && !sendButton && why === undefined) return null;
    return (
      <footer className="rp-f">
        {why !== undefined && <p className="why">{why}</p>}
        {hasLand && (
          <button type="button" className={look('none')} onClick={() => setOpen('sheet')}>
            <GitMerge size={16} aria-hidden />
            Commit, merge
          </button>
        )}
        {sendButton}
        {open === 'sheet' && (
          <Dialog label="Commit and merge" className="rp-sheet" onClose={() => setOpen(undefined)} focusSelf>
            <div className="tray-h">
              <h2>Commit and merge</h2>
              <span className="grow" />
              <CloseButton onClose={() => setOpen(undefined)} />
            </div>
            <div className="rp-land">
              {commitButton}
              {mergeButtons}
              {off !== undefined && <p className="why">{off}</p>}
            </div>
          </Dialog>
        )}
        {dialogs}
      </footer>
    );
  }
  return (
    <footer className="rv-foot">
      <span className="fr" role="status">
        <MessageSquare size={15} aria-hidden />
        <Counts actions={actions} />
      </span>
      {why !== undefined && <span className="why clip">{why}</span>}
      <span className="grow" />
      {commitButton}
      {mergeButtons}
      {sendButton}
      {dialogs}
    </footer>
  );
}

function Counts({ actions: { toSend, open, resolved } }: { readonly actions: ReviewActions }) {
  const rest = [...(open > 0 ? [`${open} open`] : []), ...(resolved > 0 ? [`${resolved} resolved`] : [])].join(', ');
  if (toSend.length === 0) return <span>{rest === '' ? 'No comments' : `No comments to send, ${rest}`}</span>;
  return (
    <span>
      <b className="num">{toSend.length === 1 ? '1 comment' : `${toSend.length} comments`}</b> to send
      {rest !== '' && `, ${rest}`}
    </span>
  );
}

function MergeHint({ isChecking, conflicts }: { readonly isChecking: boolean; readonly conflicts: number }) {
  if (isChecking) return <span className="hint-m">checking…</span>;
  if (conflicts === 0)
    return (
      <span className="hint-m ok">
        <Check size={13} aria-hidden />
        no conflicts
      </span>
    );
  return (
    <span className="hint-m bad">
      <X size={13} aria-hidden />
      {conflicts === 1 ? '1 file conflicts' : `${conflicts} files conflict`}
    </span>
  );
}

function sendText(count: number, isRunning: boolean): string {
  const what = count === 1 ? '1 comment' : `${count} comments`;
  return isRunning ? `Queue ${what}` : `Send ${what}`;
}

function mergeText({ branch, into, ahead, uncommitted, blocked }: PreviewMergeResult): string {
  const commits = ahead === 1 ? '1 commit' : `${ahead} commits`;
  const files =
    uncommitted === 1 ? '1 file is not committed, and stays' : `${uncommitted} files are not committed, and stay`;
  const left = uncommitted > 0 ? ` ${files} behind.` : '';
  const refused = blocked ? ` ${into} is checked out in ${blocked.folder} with work that is not committed.` : '';
  return `${commits} of ${branch} ${ahead === 1 ? 'goes' : 'go'} into ${into}.${left}${refused}`;
}

/** What a merge would do, looked at again when something changed. */
function usePreview({ host, uri, list }: ReviewFootProps, isWanted: boolean, causes: readonly unknown[]) {
  const { status } = host.provider;
  const into = list?.baseName !== undefined && list.baseName !== list.branch ? list.baseName : undefined;
  const [preview, setPreview] = useState<PreviewMergeResult>();
  const [isChecking, setChecking] = useState(false);
  useEffect(() => {
    if (!isWanted) return;
    let isStopped = false;
    setChecking(true);
    status.work
      .previewMerge(uri, into === undefined ? {} : { into })
      .then(
        (found) => !isStopped && setPreview(found),
        // Without a base branch there is nothing to merge into.
        () => !isStopped && setPreview(undefined),
      )
      .finally(() => !isStopped && setChecking(false));
    return () => {
      isStopped = true;
    };
  }, [status, uri, into, isWanted, ...causes]);
  return { preview, isChecking: isChecking && preview === undefined };
}
