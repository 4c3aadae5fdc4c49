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
/** Notices of one turn about what was not kept. */
const MAX_NOTICES = 10;
const MAX_TYPE_LENGTH = 100;
/** Questions to the storage at the same time. */
const AT_ONCE = 16;
const MEBI = 1024 * 1024;

/** Why something is not kept, as the end of a sentence; `isLast` where that goes for the rest of the turn as well. */
class Refusal extends Error {
  readonly isLast: boolean;

  constructor(message: string, { isLast = false } = {}) {
    super(message);
    this.isLast = isLast;
  }
}

/** Images, audio and files that an agent reports: kept in the session's content, each once, under the hash of its bytes. */
export class ReportedContent {
  readonly #content: SessionContent;
  readonly #limits: ReportedContentLimits;
  /** Sizes of what is kept, by id. */
  readonly #kept = new Map<string, number>();
  #bytes = 0;
  #loading: Promise<void> | undefined;

  constructor(content: SessionContent, limits: ReportedContentLimits) {
    this.#content = content;
    this.#limits = limits;
  }

  /** Looks what is there from before. To be awaited before the agent can report anything. */
  load(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  /** Keeps what the agent reports in one turn. */
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
    // Without decoding what is too large in any case: line breaks don't double it.
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

  /** It could not be stored; the next time it is reported is another try. */
  #forget(contentId: string): void {
    this.#bytes -= this.#kept.get(contentId) ?? 0;
    this.#kept.delete(contentId);
  }

  async #load(): Promise<void> {
    // A large content may have more files, `<id>.1` and so on.
    const ids = (await this.#content.list(PREFIX)).filter((id) => WHOLE_ID.test(id));
    await inParallel(ids, AT_ONCE, async (contentId) => {
      const size = await this.#content.sizeOf(contentId);
      if (size !== undefined && !this.#kept.has(contentId)) this.#add(contentId, size);
    });
  }
}

const LAST = { isLast: true };

/** Node skips what is no base64; what then comes out shorter than it should was none. */
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
