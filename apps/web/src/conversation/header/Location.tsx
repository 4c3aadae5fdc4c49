import type { SessionLocation, SessionWorkspace } from '@agenthost/sessions';
import { FolderGit2, Server, Unplug } from 'lucide-react';

/** Where a session lives that several hosts share: its machines, and the host that has it. */
export function Location({ location: { place, host, isAway } }: { readonly location: SessionLocation }) {
  if (isAway) {
    return (
      <span title={`No host of ${place} runs. The session can be read and forked.`}>
        <Unplug size={13} aria-hidden />
        {place}, away
      </span>
    );
  }
  return (
    <span className="wide" title={`Its folder is on ${place}. The host ${host} runs its agent.`}>
      <Server size={13} aria-hidden />
      {place === host?.split(' ')[0] ? host : `${place}, ${host}`}
    </span>
  );
}

/** Beside the branch, for a session in a worktree of its own. */
export function WorktreeTag({ workspace }: { readonly workspace: SessionWorkspace | undefined }) {
  const repository = workspace?.repositories[0];
  if (repository?.workingDirectory === undefined || repository.workingDirectory === repository.uri) return null;
  return (
    <span className="tag" title="In a worktree of its own: the project's folder stays as it is">
      <FolderGit2 size={12} aria-hidden />
      worktree
    </span>
  );
}
