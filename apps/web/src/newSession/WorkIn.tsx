import type { NewWorktree } from '@agenthost/sessions';
import { FolderGit2, GitBranch } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { PageHost } from '../app/pagePlace.js';

const PREFIX = 'agenthost/';
const MOST_WORDS = 5;
const MOST_LETTERS = 40;

interface WorkInProps {
  /** Whether the folder is in a git checkout; without one there is nothing to choose. */
  readonly isOffered: boolean;
  readonly current: string | undefined;
  readonly isWorktree: boolean;
  /** Several agents would get in each other's way. */
  readonly isForced: boolean;
  readonly branch: string;
  readonly takesChanges: boolean;
  readonly onWorktree: (isWorktree: boolean) => void;
  readonly onBranch: (branch: string) => void;
  readonly onTakesChanges: (takesChanges: boolean) => void;
}

/** Where a new session works: in the folder itself, or in a git worktree that is made for it. */
export function WorkIn(props: WorkInProps) {
  const { isOffered, isForced, current, isWorktree, branch, takesChanges, onWorktree, onBranch, onTakesChanges } =
    props;
  if (!isOffered) return null;
  return (
    <section className="sect">
      <h2 className="sect-h">Work in</h2>
      <div className="work-in">
        <div className="seg" role="group" aria-label="Work in">
          <button
            type="button"
            aria-pressed={!isWorktree}
            disabled={isForced}
            title={isForced ? 'Each agent needs its own worktree' : undefined}
            onClick={() => onWorktree(false)}
          >
            This folder
          </button>
          <button type="button" aria-pressed={isWorktree} onClick={() => onWorktree(true)}>
            <FolderGit2 size={14} aria-hidden />
            New worktree
          </button>
        </div>
        {isWorktree && (
          <label className="branch">
            <GitBranch size={14} aria-hidden />
            <input
              aria-label="Branch"
              value={branch}
              placeholder="Named by the host"
              autoComplete="off"
              spellCheck={false}
              maxLength={250}
              onChange={(event) => onBranch(event.target.value)}
            />
          </label>
        )}
        {isWorktree && current !== undefined && (
          <span className="aux">{isForced ? `each, from ${current}` : `from ${current}`}</span>
        )}
        {isWorktree && (
          <label className="check">
            <input type="checkbox" checked={takesChanges} onChange={(event) => onTakesChanges(event.target.checked)} />
            Take uncommitted changes along
          </label>
        )}
      </div>
    </section>
  );
}

interface UseWorkInOptions {
  /** Whether the last session of the folder had a worktree. */
  readonly remembered: boolean;
  /** The first message, of which the branch is named until the user names it. */
  readonly message: string;
  readonly isForced: boolean;
}

/** What the user chooses, and the worktree to make, if any. */
export function useWorkIn(
  host: PageHost,
  folder: string | undefined,
  { remembered, message, isForced }: UseWorkInOptions,
): WorkInProps & { readonly worktree: NewWorktree | undefined } {
  const checkout = useCheckout(host, folder);
  const [chosen, setChosen] = useState<boolean>();
  const [typed, setTyped] = useState<string>();
  const [takesChanges, setTakesChanges] = useState(false);
  const isOffered = checkout !== undefined;
  const isWorktree = isOffered && (isForced || (chosen ?? remembered));
  const branch = typed ?? proposedBranch(message);
  const name = branch.trim();
  return {
    isOffered,
    current: checkout?.branch,
    isWorktree,
    isForced,
    branch,
    onWorktree: setChosen,
    onBranch: setTyped,
    takesChanges,
    onTakesChanges: setTakesChanges,
    worktree: isWorktree
      ? { ...(name !== '' && { branch: name }), ...(takesChanges && { takeChanges: true }) }
      : undefined,
  };
}

/** A branch that says what the message is about; empty for a message without words. */
export function proposedBranch(message: string): string {
  const words = message
    .slice(0, 500)
    .normalize('NFKD')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  const name = (words ?? []).slice(0, MOST_WORDS).join('-').slice(0, MOST_LETTERS).replace(/-+$/, '');
  return name === '' ? '' : PREFIX + name;
}

function useCheckout(host: PageHost, folder: string | undefined) {
  const [found, setFound] = useState<{ readonly branch?: string }>();
  useEffect(() => {
    setFound(undefined);
    if (folder === undefined) return;
    const stopped = new AbortController();
    host.provider.folders.checkout(folder, stopped.signal).then(
      (checkout) => !stopped.signal.aborted && setFound(checkout),
      () => undefined,
    );
    return () => stopped.abort();
  }, [host, folder]);
  return found;
}
