import {
  MAX_SEVERAL,
  MAX_SNAPSHOT_TURNS,
  type MergeChangesParams,
  type MergeChangesResult,
  type SessionSummary,
  type Several,
  type SeveralMember,
  sessionUri,
  type URI,
  type UserMessage,
} from '@agenthost/protocol';
import { ActionRejectedError, LimitReachedError } from './errors.js';
import type { HostClient } from './hostClient.js';
import type { SessionHandle } from './session/sessionHandle.js';
import type { Message } from './session/sessionInput.js';

const MAX_TITLE = 80;
const MAX_BRANCH = 200;
/** The others of a comparison are young. */
const MAX_READ_TURNS = 1_000;

export interface SeveralAgent {
  readonly provider: string;
  readonly model?: string;
}

export interface SeveralWorktree {
  /** Each session's branch is called so, with its agent at the end. Named by the host if absent. */
  readonly branch?: string;
  readonly base?: string;
  readonly takeChanges?: boolean;
}

export interface SeveralOptions {
  readonly message: Message;
  /** A `file:` URI. Each session works in a git worktree of it. */
  readonly workingDirectory: URI;
  readonly worktree?: SeveralWorktree;
}

/** One of several sessions that are being made. */
export interface StartingMember {
  readonly session: URI;
  /** Resolves when its agent has the message. When it rejects, nothing is left of the session, and the others go on. */
  readonly started: Promise<void>;
}

/**
 * One prompt to several agents, each in a worktree of its own; one of them is landed.
 *
 * @example
 * ```ts
 * const several = new SeveralSessions(host);
 * const { group, members } = several.start(
 *   [{ provider: 'claude' }, { provider: 'codex' }],
 *   { message: { text: 'Fix the rounding.' }, workingDirectory: 'file:///src/shop' },
 * );
 * await Promise.allSettled(members.map(({ started }) => started));
 * const [first] = members;
 * if (first) await several.land(group, first.session, { message: 'Fix the rounding' });
 * ```
 */
export class SeveralSessions {
  readonly #host: HostClient;

  constructor(host: HostClient) {
    this.#host = host;
  }

  /** Makes a session for each agent. They name each other, so that every client can compare them. */
  start(
    agents: readonly SeveralAgent[],
    options: SeveralOptions,
  ): { readonly group: Several; readonly members: readonly StartingMember[] } {
    if (agents.length < 2) throw new LimitReachedError('Choose two agents at least: one is a session as any other.');
    if (agents.length > MAX_SEVERAL) {
      throw new LimitReachedError(`${agents.length} agents are too many: choose ${MAX_SEVERAL} at most.`);
    }
    const members = agents.map(({ provider, model }) => ({
      session: sessionUri(provider, crypto.randomUUID()),
      ...(model !== undefined && { model }),
    }));
    const { message } = options;
    const group = { title: shortTitle(typeof message === 'string' ? message : message.text), members };
    return {
      group,
      members: members.map((member) => ({
        session: member.session,
        started: this.startMember(group, member, options),
      })),
    };
  }

  /** Makes one of them, also again after it failed. */
  async startMember(
    group: Several,
    { session, model }: SeveralMember,
    { message, workingDirectory, worktree = {} }: SeveralOptions,
  ): Promise<void> {
    const provider = session.slice(0, session.indexOf(':'));
    const { branch, base, takeChanges } = worktree;
    const isolation = {
      kind: 'worktree',
      ...(branch !== undefined && { branch: `${branch.slice(0, MAX_BRANCH)}-${provider}` }),
      ...(base !== undefined && { base }),
      ...(takeChanges && { takeChanges }),
    };
    let handle: SessionHandle | undefined;
    try {
      handle = await this.#host.createSession({
        session,
        provider,
        workingDirectory,
        metadata: { group: session, several: group },
        config: { isolation },
        ...(model !== undefined && { model }),
      });
      await handle.ready();
      await handle.send(message);
    } catch (error) {
      // Not where another client has just made it.
      if (handle) await this.#host.disposeSession(session).catch(() => {});
      throw error;
    } finally {
      handle?.dispose();
    }
  }

  /** Makes one that failed, or was deleted, with the prompt and the folder of another one that is there. */
  async startAgain(group: Several, member: SeveralMember): Promise<void> {
    const other = await this.#first({
      ...group,
      members: group.members.filter(({ session }) => session !== member.session),
    });
    let options: SeveralOptions;
    try {
      const { summary } = other.confirmed.value;
      const base = summary.metadata?.['baseBranchName'];
      options = {
        message: await firstMessage(other),
        workingDirectory: projectFolder(summary.metadata, summary.workingDirectory),
        ...(typeof base === 'string' && { worktree: { base } }),
      };
    } finally {
      other.dispose();
    }
    await this.startMember(group, member, options);
  }

  /** Says which one is landed. Of two clients that pick at the same time the first wins; the other's call rejects and says who that is. */
  async pick(group: Several, picked: URI): Promise<void> {
    const deciding = await this.#first(group);
    try {
      await deciding.dispatch({ type: 'session/pickChanged', picked });
    } finally {
      deciding.dispose();
    }
    // The first of them may be deleted later: then the others know.
    await this.#inOthers(group, deciding.uri, (one) =>
      one.dispatch({ type: 'session/pickChanged', picked }).catch((error: unknown) => {
        if (!(error instanceof ActionRejectedError)) throw error;
      }),
    );
  }

  /** Another one can be picked. */
  async takeBack(group: Several): Promise<void> {
    await this.#inOthers(group, undefined, async (one) => {
      if (one.state.value.picked) await one.dispatch({ type: 'session/pickChanged' });
    });
  }

  /**
   * Picks one, merges its branch, and archives the others; their worktrees stay. When it can't be merged, the pick is taken back, and
   * the error is that of the merge.
   */
  async land(
    group: Several,
    picked: URI,
    merge: Omit<MergeChangesParams, 'session'> & {
      /** What is not committed yet is committed with this. */ readonly commit?: string;
    } = {},
  ): Promise<MergeChangesResult> {
    const { commit, ...params } = merge;
    await this.pick(group, picked);
    let merged: MergeChangesResult;
    try {
      if (commit !== undefined) await this.#commit(picked, commit);
      merged = await this.#host.work.mergeChanges(picked, params);
    } catch (error) {
      await this.takeBack(group).catch(() => {});
      throw error;
    }
    await this.archiveOthers(group, picked);
    return merged;
  }

  /** Stops and archives all but one. Their worktrees stay until they are deleted. */
  async archiveOthers(group: Several, picked: URI): Promise<void> {
    await this.#inOthers(group, picked, async (one) => {
      const { activeTurn, summary } = one.state.value;
      if (activeTurn) {
        // It may end in this moment.
        await one.cancel({ holdQueue: true }).catch((error: unknown) => {
          if (!(error instanceof ActionRejectedError)) throw error;
        });
      }
      if (!summary.isArchived) await one.archive();
    });
  }

  async #commit(session: URI, message: string): Promise<void> {
    const { uncommitted } = await this.#host.work.previewMerge(session);
    if (uncommitted > 0) await this.#host.work.commitChanges(session, { message });
  }

  /** The one whose log decides: the first that exists. */
  async #first({ members }: Several): Promise<SessionHandle> {
    let missing: unknown;
    for (const { session } of members) {
      try {
        return await this.#host.openSession(session, { turns: 1 });
      } catch (error) {
        missing = error;
      }
    }
    throw missing;
  }

  /** One that is gone has nothing to be told. */
  async #inOthers(
    { members }: Several,
    except: URI | undefined,
    work: (session: SessionHandle) => Promise<void>,
  ): Promise<void> {
    const others = members.filter(({ session }) => session !== except);
    await Promise.all(
      others.map(async ({ session }) => {
        const handle = await this.#host.openSession(session, { turns: 1 }).catch(() => undefined);
        try {
          if (handle) await work(handle);
        } finally {
          handle?.dispose();
        }
      }),
    );
  }
}

/** What a session was asked first. */
async function firstMessage(session: SessionHandle): Promise<UserMessage> {
  let first = session.confirmed.value.activeTurn?.userMessage;
  let count = 0;
  for await (const { origin, userMessage } of session.history({ includeLoaded: true, pageSize: MAX_SNAPSHOT_TURNS })) {
    // What the host tells in the conversation is no message.
    if (origin === undefined) first = userMessage;
    if (++count >= MAX_READ_TURNS) break;
  }
  if (first) return session.wholeMessage(first);
  throw new LimitReachedError('No other session of the comparison has its message yet. Try again in a moment.');
}

/** Of the repository that a worktree is of: the same subfolder. */
function projectFolder(metadata: SessionSummary['metadata'] = {}, folder: URI | undefined): URI {
  const { repositoryPath, worktreePath, workingDirectoryPath } = metadata;
  if (typeof repositoryPath !== 'string') return folder ?? '';
  const isInside = typeof worktreePath === 'string' && typeof workingDirectoryPath === 'string';
  const inside =
    isInside && workingDirectoryPath.startsWith(worktreePath) ? workingDirectoryPath.slice(worktreePath.length) : '';
  return `file://${`${repositoryPath}${inside}`.split('/').map(encodeURIComponent).join('/')}`;
}

/** The first line, as far as it is short. */
function shortTitle(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  const characters = [...line];
  return characters.length > MAX_TITLE ? `${characters.slice(0, MAX_TITLE - 1).join('')}…` : line;
}
