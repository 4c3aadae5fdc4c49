import { type ActionEnvelope, ERROR_CODE } from '@agenthost/protocol';
import { type FetchEventsParams, type FetchEventsResult, MAX_PAGE_BYTES } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import { errorCode } from '../../storage/fs/errnoFailure.js';
import type { ActionRecord, EventLog, LogAnchor } from '../../storage/log/eventLog.js';

export interface SessionEventsOptions {
  readonly log: Pick<EventLog, 'flush' | 'tail' | 'end'>;
  /** The highest `serverSeq` in the log. */
  readonly lastServerSeq: () => number;
  /** Resolves when all that was accepted until now was told, or taken back. */
  readonly told: () => Promise<void>;
}

/**
 * What has happened in a session, from its log, from any place on. Only what clients were told: until then it may be taken back. A
 * place names the bytes of a record, so that finding it costs the same however long the log is.
 */
export class SessionEvents {
  readonly #options: SessionEventsOptions;
  /** Records up to this one were there before: of another host, with numbers of its own. */
  readonly #loaded: number;

  constructor(options: SessionEventsOptions) {
    this.#options = options;
    this.#loaded = options.log.end?.n ?? 0;
  }

  async read(params: Omit<FetchEventsParams, 'session'>): Promise<FetchEventsResult> {
    try {
      return await this.#read(params);
    } catch (error) {
      if (errorCode(error) !== 'NOT_THERE') throw error;
      const message = 'this session has no such place: it is another session of that name; read it from its beginning';
      throw new RpcError(ERROR_CODE.notFound, message);
    }
  }

  async #read({ after, newest, limit }: Omit<FetchEventsParams, 'session'>): Promise<FetchEventsResult> {
    const { log, lastServerSeq, told } = this.#options;
    const upTo = lastServerSeq();
    await told();
    await log.flush();
    if (newest) return { items: [], ...(log.end && { cursor: cursorOf(log.end) }), hasMore: false };
    const items: FetchEventsResult['items'][number][] = [];
    let cursor = after;
    let bytes = 0;
    for await (const { record, position } of log.tail(after === undefined ? undefined : placeOf(after))) {
      if (record.type === 'action') {
        if (record.serverSeq > upTo && record.n > this.#loaded) break;
        bytes += position.end - position.start;
        if (items.length === limit || (items.length > 0 && bytes > MAX_PAGE_BYTES))
          return { items, ...(cursor !== undefined && { cursor }), hasMore: true };
        items.push({ cursor: cursorOf(position), envelope: envelopeOf(record) });
      }
      cursor = cursorOf(position);
    }
    return { items, ...(cursor !== undefined && { cursor }), hasMore: false };
  }
}

function envelopeOf({ serverSeq, origin, action }: ActionRecord): ActionEnvelope {
  return origin ? { action, serverSeq, origin } : { action, serverSeq };
}

function cursorOf({ n, start, end, crc }: LogAnchor): string {
  return `${n}-${start}-${end}-${crc}`;
}

/** Its form was checked with the params; whether the log has it, the log says. */
function placeOf(cursor: string): LogAnchor {
  const [n = '', start = '', end = '', crc = ''] = cursor.split('-');
  return { n: Number(n), start: Number(start), end: Number(end), crc };
}
