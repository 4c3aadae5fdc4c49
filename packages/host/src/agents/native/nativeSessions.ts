import { pathToFileURL } from 'node:url';
import {
  type ContinueNativeSessionParams,
  ERROR_CODE,
  type FetchNativeTurnsParams,
  type ImportSessionParams,
  type ListNativeSessionsParams,
  type ListNativeSessionsResult,
  type Turn,
  type URI,
} from '@agenthost/protocol';
import { type ErrorData, type FetchTurnsResult, MAX_PAGE_BYTES } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import type { NativeLinks } from './nativeLinks.js';
import { BUSY_MS, linkId, NativeList, type NativeRow, stampOf } from './nativeList.js';
import type { NativeHead, NativeStore, NativeTurns } from './nativeStore.js';

export interface NativeSessionsOptions {
  readonly stores: readonly NativeStore[];
  readonly links: NativeLinks;
  readonly now: () => number;
}

/** What continuing one needs of the host's sessions. */
export interface NativeTarget {
  exists(session: URI): Promise<boolean>;
  import(params: ImportSessionParams, nativeSessionId: string | undefined): Promise<void>;
}

/** Conversations whose turns are kept in memory. */
const KEPT = 3;
/** Turns in one piece of an import. */
const PIECE = 100;
/** A turn without an end may still run in a terminal, for example a long command in it. */
const OPEN_MS = 5 * 60_000;

/** Conversations that agents keep by themselves: listed, read, and continued as sessions of this host. */
export class NativeSessions {
  readonly #options: NativeSessionsOptions;
  readonly #list: NativeList;
  readonly #read = new Map<string, { readonly stamp: string; readonly turns: Promise<NativeTurns> }>();
  readonly #continuing = new Set<string>();

  constructor(options: NativeSessionsOptions) {
    this.#options = options;
    this.#list = new NativeList(options.stores, options.links, options.now);
  }

  list(params: ListNativeSessionsParams, target: Pick<NativeTarget, 'exists'>): Promise<ListNativeSessionsResult> {
    return this.#list.list(params, (session) => target.exists(session));
  }

  async turns({ id, before, limit }: FetchNativeTurnsParams): Promise<FetchTurnsResult> {
    const { row } = await this.#found(id);
    const { turns, isCut } = await this.#turnsOf(row);
    const end = before === undefined ? turns.length : turns.findIndex((turn) => turn.id === before);
    if (end < 0) throw new RpcError(ERROR_CODE.notFound, `there is no turn ${before}: read the newest ones again`);
    let start = end;
    let bytes = 0;
    while (start > 0 && end - start < limit) {
      bytes += JSON.stringify(turns[start - 1]).length;
      if (bytes > MAX_PAGE_BYTES && start < end) break;
      start--;
    }
    const page = turns.slice(start, end);
    return { turns: start === 0 && isCut ? withNotice(page) : page, hasMore: start > 0 };
  }

  async continue(params: ContinueNativeSessionParams, target: NativeTarget): Promise<void> {
    const { id } = params;
    if (this.#continuing.has(id)) throw new RpcError(ERROR_CODE.alreadyExists, 'somebody continues it right now');
    this.#continuing.add(id);
    try {
      await this.#continue(params, target);
    } finally {
      this.#continuing.delete(id);
    }
  }

  async #continue({ id, session, asCopy }: ContinueNativeSessionParams, target: NativeTarget): Promise<void> {
    const { row, head } = await this.#found(id);
    const { links } = this.#options;
    const { provider, agentName } = row.store;
    if (!session.startsWith(`${provider}:`)) {
      throw new RpcError(ERROR_CODE.invalidParams, `params.session: ${agentName} continues it: ${provider}:/<id>`);
    }
    if (head.folder === undefined) {
      throw new RpcError(
        ERROR_CODE.invalidRequest,
        `${agentName} does not say in which folder it was: continue it in a terminal`,
      );
    }
    const link = linkId(row, head);
    const before = await links.get(link);
    if (!asCopy && before && (await target.exists(before.session))) {
      throw new RpcError(ERROR_CODE.sessionAlreadyExists, `it is continued here already, as ${before.session}`);
    }
    const { turns, isOpen } = await this.#turnsOf(row);
    if (!asCopy) this.#mustRest(row, isOpen);
    const nativeSessionId = asCopy ? undefined : (head.nativeId ?? row.place.nativeId);
    const lastTurnId = turns.at(-1)?.id;
    const base = { session, title: head.title, workingDirectory: pathToFileURL(head.folder).href };
    for (let at = 0; at === 0 || at < turns.length; at += PIECE) {
      const isLast = at + PIECE >= turns.length;
      const piece = { ...base, turns: turns.slice(at, at + PIECE), ...(!isLast && { more: true as const }) };
      await target.import(piece, isLast ? nativeSessionId : undefined);
    }
    if (!asCopy) await links.set(link, { session, isOurs: false, ...(lastTurnId !== undefined && { lastTurnId }) });
  }

  #mustRest({ place }: NativeRow, isOpen: boolean): void {
    const age = Math.abs(this.#options.now() - place.modifiedAt);
    if (age >= (isOpen ? OPEN_MS : BUSY_MS)) return;
    const data: ErrorData = {
      code: 'nativeSessionBusy',
      whatToDo: 'Wait until it rests there, or continue in a copy.',
    };
    const when = age < 2_000 ? 'just now' : `${Math.round(age / 1_000)} s ago`;
    throw new RpcError(ERROR_CODE.invalidRequest, `It is open in a terminal, where it changed ${when}.`, { data });
  }

  /** Resolves when what is known of them is written. */
  dispose(): Promise<void> {
    return this.#options.links.settled();
  }

  async #found(id: string): Promise<{ readonly row: NativeRow; readonly head: NativeHead }> {
    const found = await this.#list.find(id).catch((error: unknown) => {
      throw new RpcError(ERROR_CODE.notFound, `it can't be read: ${(error as Error).message}`);
    });
    if (!found) throw new RpcError(ERROR_CODE.notFound, `there is no native session ${id}: list them again`);
    return found;
  }

  #turnsOf({ id, store, place }: NativeRow): Promise<NativeTurns> {
    const stamp = stampOf(place);
    const known = this.#read.get(id);
    this.#read.delete(id);
    const turns = known?.stamp === stamp ? known.turns : store.turns(place);
    this.#read.set(id, { stamp, turns });
    turns.catch(() => this.#read.delete(id));
    for (const oldest of this.#read.keys()) {
      if (this.#read.size <= KEPT) break;
      this.#read.delete(oldest);
    }
    return turns;
  }
}

function withNotice(turns: readonly Turn[]): Turn[] {
  const [first, ...rest] = turns;
  if (!first) return [];
  const text = 'Earlier turns are not shown, because there is too much of them.';
  const notice = { kind: 'notice', id: 'native-cut', text, severity: 'info' } as const;
  return [{ ...first, responseParts: [notice, ...first.responseParts] }, ...rest];
}
