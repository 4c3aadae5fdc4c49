import { pathToFileURL } from 'node:url';
import {
  ERROR_CODE,
  type ImportSessionParams,
  PROTOCOL_VERSION,
  type SessionAction,
  type Turn,
  type URI,
} from '@agenthost/protocol';
import { MAX_IMPORTED_SESSION_TURNS } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import type { SessionStorage, StoredSession } from '../../storage/sessionStorage.js';
import { isElsewhere, spaceField } from '../beginSession.js';
import { SessionContent } from '../content/sessionContent.js';
import { givenMetadata } from '../folder/folderMetadata.js';
import { workingDirectoryOf } from '../folder/workingDirectory.js';
import { ImportedContents } from './importedContents.js';
import { type MoveRef, missingParts, turnEnd, turnParts, turnStart } from './turnActions.js';

/** Imports in progress at the same time. Each has an open file. */
const MAX_IMPORTS = 8;

export interface SessionImportsOptions {
  readonly storage: SessionStorage;
  readonly defaultDirectory: string;
  readonly now: () => number;
  /** Removes the files of the session. Never rejects. */
  readonly discard: (sessionId: string) => Promise<void>;
}

/** Who imports, and to where. */
export interface Importer {
  /** Its connection. */
  readonly owner: object;
  readonly space: string;
}

interface Draft {
  readonly owner: object;
  readonly session: URI;
  readonly sessionId: string;
  readonly stored: StoredSession;
  readonly turnIds: Set<string>;
  readonly contents: ImportedContents;
  /** The last turn and the number of its parts so far. More may follow: its end is not in the log yet. */
  open: { readonly turn: Turn; readonly parts: number } | undefined;
}

/** Sessions that are imported in pieces. A session exists when its last piece is stored; an aborted import leaves nothing. */
export class SessionImports {
  readonly #options: SessionImportsOptions;
  /** By the id only, like the folders. */
  readonly #drafts = new Map<string, Draft>();
  /** The pieces of one session are stored one after the other, in order. */
  readonly #busy = new Map<string, Promise<unknown>>();
  readonly #gone = new WeakSet<object>();
  /** Being created. */
  #beginning = 0;

  constructor(options: SessionImportsOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#busy.size === 0 && this.#drafts.size === 0;
  }

  has(sessionId: string): boolean {
    return this.#busy.has(sessionId) || this.#drafts.has(sessionId);
  }

  /** Returns whether that was the last piece: then the session is stored. The import is aborted when `owner` disconnects. */
  take(params: ImportSessionParams, sessionId: string, importer: Importer): Promise<boolean> {
    const before = this.#busy.get(sessionId) ?? Promise.resolve();
    const taken = before.catch(() => {}).then(() => this.#take(params, sessionId, importer));
    this.#busy.set(sessionId, taken);
    const settled = () => {
      if (this.#busy.get(sessionId) === taken) this.#busy.delete(sessionId);
    };
    taken.then(settled, settled);
    return taken;
  }

  /** The owner has disconnected: the rest will not come. */
  async abandon(owner: object): Promise<void> {
    this.#gone.add(owner);
    const left = [...this.#drafts].filter(([, draft]) => draft.owner === owner);
    await Promise.all(
      left.map(async ([sessionId, draft]) => {
        await this.#busy.get(sessionId)?.catch(() => {});
        if (this.#drafts.get(sessionId) === draft) await this.#discard(draft);
      }),
    );
  }

  async dispose(): Promise<void> {
    const owners = new Set([...this.#drafts.values()].map(({ owner }) => owner));
    await Promise.all([...owners].map((owner) => this.abandon(owner)));
  }

  async #take(params: ImportSessionParams, sessionId: string, importer: Importer): Promise<boolean> {
    const { owner } = importer;
    const { session, turns, contents = [], more = false } = params;
    const draft = this.#drafts.get(sessionId) ?? (await this.#beginIfRoom(params, sessionId, importer));
    if (draft.owner !== owner || draft.session !== session)
      throw new RpcError(ERROR_CODE.sessionAlreadyExists, `${session} is being imported`);
    try {
      // First: the log must not refer to missing content.
      for (const piece of contents) await draft.contents.add(piece);
      for (const turn of turns) {
        for (const action of actionsOf(turn, draft)) append(draft, action);
        await draft.stored.log.drained();
      }
      if (!more && draft.open) for (const action of turnEnd(draft.open.turn, session)) append(draft, action);
      await draft.stored.log.flush();
      if (this.#gone.has(owner)) throw new RpcError(ERROR_CODE.invalidRequest, 'its client has gone');
      if (more) return false;
      await draft.stored.log.close();
    } catch (error) {
      await this.#discard(draft);
      throw error;
    }
    this.#drafts.delete(sessionId);
    await draft.stored.fs.dispose();
    return true;
  }

  async #beginIfRoom(params: ImportSessionParams, sessionId: string, importer: Importer): Promise<Draft> {
    if (this.#drafts.size + this.#beginning >= MAX_IMPORTS) {
      throw new RpcError(
        ERROR_CODE.tooManyRequests,
        `${MAX_IMPORTS} sessions are being imported already; wait for one of them`,
      );
    }
    this.#beginning++;
    return this.#begin(params, sessionId, importer).finally(() => this.#beginning--);
  }

  async #begin(params: ImportSessionParams, sessionId: string, { owner, space }: Importer): Promise<Draft> {
    const { storage, defaultDirectory, now } = this.#options;
    const { session, title, model, metadata } = params;
    const cwd = await workingDirectoryOf(params.workingDirectory, defaultDirectory);
    const opening = storage.open(sessionId, { create: true, isDraft: true, space });
    const stored = await opening.catch(async (error: unknown) => {
      if (!isElsewhere(error)) await this.#options.discard(sessionId);
      throw error;
    });
    if (!stored) throw new RpcError(ERROR_CODE.sessionAlreadyExists, `session ${session} already exists`);
    const provider = session.slice(0, session.indexOf(':'));
    const content = new SessionContent({ fs: stored.fs, provider, sessionId, sync: true, onError: () => false });
    const contents = new ImportedContents(content);
    const draft: Draft = { owner, session, sessionId, stored, turnIds: new Set(), contents, open: undefined };
    this.#drafts.set(sessionId, draft);
    const createdAt = params.turns[0]?.startedAt ?? now();
    stored.log.append({
      type: 'session.start',
      provider,
      sessionId,
      cwd,
      versions: { log: 1, protocol: PROTOCOL_VERSION },
      createdAt,
      workingDirectory: pathToFileURL(cwd).href,
      ...(title !== undefined && { title }),
      ...(model !== undefined && { model }),
      ...(metadata && { metadata: givenMetadata(metadata) }),
      ...spaceField(space),
    });
    const ready = { type: 'session/ready', session, at: createdAt } as const;
    stored.log.append({ type: 'action', serverSeq: 0, action: ready });
    stored.log.append({ type: 'session.info', kind: 'import', message: 'imported' });
    return draft;
  }

  async #discard({ stored, sessionId }: Draft): Promise<void> {
    await stored.log.close().catch(() => {});
    await stored.fs.dispose();
    await this.#options.discard(sessionId);
    this.#drafts.delete(sessionId);
  }
}

function append({ stored }: Draft, action: SessionAction): void {
  stored.log.append({ type: 'action', serverSeq: 0, at: action.at, action });
}

/** The actions of a turn, or of another piece of the last one. */
function actionsOf(turn: Turn, draft: Draft): SessionAction[] {
  const { open, session, turnIds, contents } = draft;
  const { id, earlierParts = 0, responseParts } = turn;
  draft.open = { turn, parts: earlierParts + responseParts.length };
  const moveRef: MoveRef = (ref) => contents.ref(ref);
  if (open?.turn.id === id && open.parts === earlierParts) return turnParts(turn, session, moveRef);
  if (turnIds.has(id) || turnIds.size >= MAX_IMPORTED_SESSION_TURNS) {
    const why = turnIds.has(id) ? `there are two turns ${id}` : 'there are too many';
    throw new RpcError(ERROR_CODE.invalidParams, `params.turns: ${why}`);
  }
  turnIds.add(id);
  return [
    ...(open ? turnEnd(open.turn, session) : []),
    turnStart(turn, session, moveRef),
    ...(earlierParts > 0 ? [missingParts(turn, earlierParts, session)] : []),
    ...turnParts(turn, session, moveRef),
  ];
}
