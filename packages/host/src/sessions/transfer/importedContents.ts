import { createHash, type Hash } from 'node:crypto';
import { type ContentRef, ERROR_CODE } from '@agenthost/protocol';
import { contentHash, type ImportedContent, parseContentUri } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import { contentTypeOf, endingOfBytes } from '../content/contentType.js';
import type { SessionContent } from '../content/sessionContent.js';
import { MAX_IMPORTED_CONTENT_BYTES, MAX_PASTED_BYTES, REPORTED_CONTENT_LIMITS } from '../sessionLimits.js';

const MAX_BYTES = MAX_PASTED_BYTES + REPORTED_CONTENT_LIMITS.sessionBytes;
const MAX_ITEMS = REPORTED_CONTENT_LIMITS.sessionItems * 2;

/** Contents of an import, one after the other, each in pieces. A content is complete when its bytes match the hash in its name. */
export class ImportedContents {
  readonly #content: SessionContent;
  /** By the URIs in the turns. */
  readonly #stored = new Map<string, ContentRef>();
  #bytes = 0;
  #current: { readonly uri: string; readonly pieces: Buffer[]; readonly hash: Hash; size: number } | undefined;

  constructor(content: SessionContent) {
    this.#content = content;
  }

  /** A content that exceeds a limit, or whose name does not match its bytes, is dropped, and references to it are left out. */
  async add({ uri, offset = 0, data }: ImportedContent): Promise<void> {
    const hash = contentHash(uri);
    if (hash === undefined || this.#stored.has(uri)) return;
    if (offset === 0) this.#current = { uri, pieces: [], hash: createHash('sha256'), size: 0 };
    const current = this.#current;
    if (current?.uri !== uri || current.size !== offset) {
      throw new RpcError(ERROR_CODE.invalidParams, 'params.contents: pieces of a content come in order, without gaps');
    }
    const piece = Buffer.from(data, 'base64');
    current.size += piece.length;
    const isTooMuch = this.#bytes + current.size > MAX_BYTES || this.#stored.size >= MAX_ITEMS;
    if (current.size > MAX_IMPORTED_CONTENT_BYTES || isTooMuch) {
      // Its size is still counted, so that the rest of it is not a gap.
      current.pieces.length = 0;
      return;
    }
    current.pieces.push(piece);
    if (current.hash.update(piece).copy().digest('hex') !== hash) return;
    this.#current = undefined;
    await this.#store(uri, hash, Buffer.concat(current.pieces));
  }

  /** The same content in the new session; `undefined` if it was not imported. */
  ref({ uri }: ContentRef): ContentRef | undefined {
    return this.#stored.get(uri);
  }

  async #store(uri: string, hash: string, bytes: Buffer): Promise<void> {
    const { contentId = '' } = parseContentUri(uri) ?? {};
    const kind = contentId.startsWith('agent-') ? 'agent' : 'pasted';
    const ending = contentId.endsWith('.txt') ? 'txt' : endingOfBytes(bytes, contentTypeOf(contentId));
    const id = `${kind}-${hash}.${ending}`;
    const ref = this.#content.ref(id, bytes.length);
    if (!ref) return;
    await this.#content.store(id, bytes);
    this.#bytes += bytes.length;
    this.#stored.set(uri, ref);
  }
}
