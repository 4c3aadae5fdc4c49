import { ERROR_CODE } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import { z } from 'zod';

/** What a client asks for with `config.isolation` of `createSession`. */
export interface WorktreeRequest {
  /** A branch, tag or commit that the new branch begins at. Default: what the folder has checked out. */
  readonly base?: string;
  /** The name of the new branch. Default: made of the session's id. */
  readonly branch?: string;
  /** What the folder has and no commit: changed, staged, removed and new files, without those that git ignores. */
  readonly takeChanges?: boolean;
}

/** A worktree that was made for a session. */
export interface SessionWorktree {
  /** The top folder of the checkout that it was made from. */
  readonly repository: string;
  readonly path: string;
  readonly branch: string;
  /** The branch that it began at, or the commit where there was none. */
  readonly base: string;
  readonly baseCommit: string;
  /** Its session is kept in a database. */
  readonly isElsewhere?: true;
}

const MAX_NAME = 250;
const name = z.string().min(1).max(MAX_NAME);
const request = z.union([
  z.literal('folder'),
  z.literal('worktree'),
  z.strictObject({ kind: z.literal('folder') }),
  z.strictObject({
    kind: z.literal('worktree'),
    base: name.exactOptional(),
    branch: name.exactOptional(),
    takeChanges: z.boolean().exactOptional(),
  }),
]);
export const sessionWorktree = z.object({
  repository: z.string(),
  path: z.string(),
  branch: z.string(),
  base: z.string(),
  baseCommit: z.string(),
  isElsewhere: z.literal(true).exactOptional(),
});

type Config = Readonly<Record<string, unknown>> | undefined;

/** The worktree that a new session is to have; `undefined` when it works in the folder itself. */
export function requestedWorktree(config: Config): WorktreeRequest | undefined {
  const value = config?.['isolation'];
  if (value === undefined) return undefined;
  const parsed = request.safeParse(value);
  if (!parsed.success) {
    throw new RpcError(
      ERROR_CODE.invalidParams,
      "params.config.isolation: give 'folder', 'worktree', or { kind: 'worktree', base, branch, takeChanges }",
    );
  }
  const { data } = parsed;
  if (data === 'worktree') return {};
  if (data === 'folder' || data.kind === 'folder') return undefined;
  const { kind: _, ...wanted } = data;
  return wanted;
}
