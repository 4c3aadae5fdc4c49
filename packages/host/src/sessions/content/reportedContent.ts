import { createHash } from 'node:crypto';
import type { AgentContent } from '../../agents/agent.js';
import type { KeptContent } from '../../agents/events/agentEventMapper.js';
import { oneLine } from '../../agents/events/boundedText.js';
import { inParallel } from '../inParallel.js';
import { endingOfBytes } from './contentType.js';
import type { SessionContent } from './sessionContent.js';

export interface ReportedContentLimits {
  readonly itemBytes: number;
  readonly turnItems: number;
  readonly turnBytes: number;
  readonly sessionItems: number;
  readonly sessionBytes: number;
}

const PREFIX = 'agent-';
const WHOLE_ID = /^agent-[0-9a-f]{64}\.[a-z0-9]+$/;
/** Notices per turn about content that was not kept. */
const MAX_NOTICES = 10;
const MAX_TYPE_LENGTH = 100;
/** Parallel requests to the storage. */
const AT_ONCE = 16;
const MEBI = 1024 * 1024;

/** Why content is not kept, as the end of a sentence. `isLast`: the same holds for the rest of the turn. */
class Refusal extends Error {
  readonly isLast: boolean;

  constructor(message: string, { isLast = false } = {}) {
    super(message);
    this.isLast = isLast;
  }
}

/** Images, audio and files that an agent reports, kept in the session's content by the hash of their bytes, each once. */
export class ReportedContent {
  readonly #content: SessionContent;
  readonly #limits: ReportedContentLimits;
  /** The sizes of kept contents by id. */
  readonly #kept = new Map<string, number>();
  #bytes = 0;
  #loading: Promise<void> | undefined;

  constructor(content: SessionContent, limits: ReportedContentLimits) {
    this.#content = content;
    this.#limits = limits;
  }

  /** Counts the stored contents. Await it before the agent can report anything. */
  load(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  /** Returns what keeps the content of one turn. */
  forTurn(): (content: AgentContent) => KeptContent {
    const turn = { items: 0, bytes: 0, notices: 0, isFull: false };
    return (content) => {
      if (turn.isFull) return { refused: undefined };
      try {
        const bytes = this.#bytesOf(content);
        this.#checkTurn(turn, bytes.length);
        const ref = this.#keep(bytes, content.mimeType ?? '');
        turn.items += 1;
        turn.bytes += bytes.length;
        return { ref };
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        turn.notices += 1;
        turn.isFull = error.isLast || turn.notices >= MAX_NOTICES;
        const rest = turn.isFull ? ' The rest of them is left out.' : '';
        return { refused: `${nameOf(content)} was not kept: ${error.message}.${rest}` };
      }
    };
  }

  #keep(bytes: Buffer, claimed: string) {
    const { sessionItems, sessionBytes } = this.#limits;
    const contentId = `${PREFIX}${createHash('sha256').update(bytes).digest('hex')}.${endingOfBytes(bytes, claimed)}`;
    const ref = this.#content.ref(contentId, bytes.length);
    if (!ref) throw new Refusal('this session has no folder for files', { isLast: true });
    if (this.#kept.has(contentId)) return ref;
    if (this.#kept.size >= sessionItems) {
      throw new Refusal(`this session has ${sessionItems} images and files already; go on in a new one`, LAST);
    }
    if (this.#bytes + bytes.length > sessionBytes) {
      throw new Refusal(
        `this session has ${mebibytes(sessionBytes)} of images and files already; go on in a new one`,
        LAST,
      );
    }
    this.#add(contentId, bytes.length);
    void this.#content.storeSoon(contentId, bytes).then((isStored) => {
      if (!isStored) this.#forget(contentId);
    });
    return ref;
  }

  #bytesOf({ data }: AgentContent): Buffer {
    const { itemBytes } = this.#limits;
    if (data === undefined) throw new Refusal('the agent did not send its data');
    // Too large even before decoding: line breaks don't double the length.
    const atMost = typeof data === 'string' ? Buffer.byteLength(data, 'base64') : data.length;
    const bytes =
      atMost > itemBytes * 2 ? undefined : typeof data === 'string' ? decodeBase64(data) : Buffer.from(data);
    const size = bytes?.length ?? atMost;
    if (size > itemBytes) {
      throw new Refusal(
        `it has ${size.toLocaleString('en')} bytes, and at most ${mebibytes(itemBytes)} are kept of one`,
      );
    }
    if (!bytes || size === 0) throw new Refusal('it is empty');
    return bytes;
  }

  #checkTurn({ items, bytes }: { readonly items: number; readonly bytes: number }, more: number): void {
    const { turnItems, turnBytes } = this.#limits;
    if (items >= turnItems) throw new Refusal(`${turnItems} images and files are kept of one turn`, LAST);
    if (bytes + more > turnBytes)
      throw new Refusal(`${mebibytes(turnBytes)} of images and files are kept of one turn`, LAST);
  }

  #add(contentId: string, bytes: number): void {
    this.#kept.set(contentId, bytes);
    this.#bytes += bytes;
  }

  /** It could not be stored. The next report of it tries again. */
  #forget(contentId: string): void {
    this.#bytes -= this.#kept.get(contentId) ?? 0;
    this.#kept.delete(contentId);
  }

  async #load(): Promise<void> {
    // A large content may have several files, `<id>.1` and so on.
    const ids = (await this.#content.list(PREFIX)).filter((id) => WHOLE_ID.test(id));
    await inParallel(ids, AT_ONCE, async (contentId) => {
      const size = await this.#content.sizeOf(contentId);
      if (size !== undefined && !this.#kept.has(contentId)) this.#add(contentId, size);
    });
  }
}

const LAST = { isLast: true };

/** Node skips characters that are not base64: a result that is too short means that the input was invalid. */
function decodeBase64(text: string): Buffer {
  return decodeStrictly(text) ?? decodeStrictly(text.replace(/\s+/g, '')) ?? refuseBase64();
}

function decodeStrictly(text: string): Buffer | undefined {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  if (padding > 0 && text.length % 4 !== 0) return undefined;
  const characters = text.length - padding;
  const bytes = Buffer.from(text, 'base64');
  return characters % 4 !== 1 && bytes.length === Math.floor((characters * 3) / 4) ? bytes : undefined;
}

function refuseBase64(): never {
  throw new Refusal('its data is not base64');
}

function nameOf({ mimeType = '' }: AgentContent): string {
  const type = oneLine(mimeType, MAX_TYPE_LENGTH);
  const what = /^image\b/i.test(type) ? 'An image' : /^audio\b/i.test(type) ? 'Audio' : 'A file';
  return type.includes('/') ? `${what} (${type})` : what;
}

function mebibytes(bytes: number): string {
  return `${Math.floor(bytes / MEBI)} MiB`;
}
