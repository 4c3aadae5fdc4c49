import { createHash } from 'node:crypto';
import {
  type Attachment,
  type ContentRef,
  REJECTION,
  sessionUri,
  type URI,
  type UserMessage,
} from '@agenthost/protocol';
import {
  INLINE_CONTENT_LIMIT,
  INLINE_MESSAGE_LIMIT,
  parseContentUri,
  type Refusal,
  refuse,
} from '@agenthost/protocol/internal';
import { headAndTail } from '../../agents/events/boundedText.js';
import { endingOf } from './contentType.js';
import type { SessionContent } from './sessionContent.js';

/** Why a message's content was rejected. The text is for the sender. */
export class ContentRefused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.rejectionReason);
    this.refusal = refusal;
  }
}

export interface PastedContentOptions {
  readonly content: SessionContent;
  readonly session: URI;
  /** Bytes of clients' content that one session may keep. */
  readonly maxBytes: number;
}

const PREFIX = 'pasted-';

/** Content of clients' messages that is too large for the state. Stored by its hash, the same content once. */
export class PastedContent {
  readonly #options: PastedContentOptions;
  #storing: Promise<unknown> = Promise.resolve();
  #usedBytes: number | undefined;

  constructor(options: PastedContentOptions) {
    this.#options = options;
  }

  /** Bytes of the message that must be stored before it is accepted; `undefined` if there is nothing to store or check. */
  static loadOf(message: UserMessage): number | undefined {
    const large = [
      ...(message.text.length * 3 > INLINE_MESSAGE_LIMIT ? [message.text] : []),
      ...(message.attachments ?? []).flatMap(({ data = '' }) => (isLarge(data) ? [data] : [])),
    ];
    const refers = message.textRef ?? message.attachments?.find(({ ref }) => ref);
    return large.length > 0 || refers ? large.reduce((sum, text) => sum + text.length, 0) : undefined;
  }

  /** The message for the state. The content that it refers to is stored when this resolves. */
  async keep(message: UserMessage): Promise<UserMessage> {
    const { text, textRef, attachments, ...rest } = message;
    const kept: Attachment[] = [];
    for (const attachment of attachments ?? []) kept.push(await this.#keepAttachment(attachment));
    return { ...(await this.#keepText(text, textRef)), ...(attachments && { attachments: kept }), ...rest };
  }

  /** The message as it was sent, for the agent. */
  async whole(message: UserMessage): Promise<UserMessage> {
    const { text, textRef, attachments, ...rest } = message;
    const whole: Attachment[] = [];
    for (const { ref, ...attachment } of attachments ?? []) {
      const data = ref && (await this.#read(ref)).toString(attachment.kind === 'image' ? 'base64' : 'utf8');
      whole.push({ ...attachment, ...(data !== undefined && { data }) });
    }
    const wholeText = textRef ? (await this.#read(textRef)).toString('utf8') : text;
    return { text: wholeText, ...(attachments && { attachments: whole }), ...rest };
  }

  async #keepText(text: string, textRef: ContentRef | undefined): Promise<Pick<UserMessage, 'text' | 'textRef'>> {
    if (textRef) return { text: headAndTail(text, INLINE_CONTENT_LIMIT), textRef: await this.#known(textRef) };
    if (Buffer.byteLength(text) <= INLINE_MESSAGE_LIMIT) return { text };
    const ref = await this.#store(Buffer.from(text), 'txt');
    return ref ? { text: headAndTail(text, INLINE_CONTENT_LIMIT), textRef: ref } : { text };
  }

  async #keepAttachment(attachment: Attachment): Promise<Attachment> {
    const { data, ref, ...rest } = attachment;
    if (data === undefined) return ref ? { ...rest, ref: withType(await this.#known(ref), attachment) } : rest;
    // When both are set, the data is what the client sent.
    if (!isLarge(data)) return { ...rest, data };
    const isImage = attachment.kind === 'image';
    const bytes = isImage ? imageBytes(data, attachment.label) : Buffer.from(data);
    const stored = await this.#store(bytes, isImage ? endingOf(attachment.mimeType) : 'txt');
    return stored ? { ...rest, ref: withType(stored, attachment) } : { ...rest, data };
  }

  /** Runs one after the other: each checks how much room the one before has left. */
  #store(bytes: Buffer, ending: string): Promise<ContentRef | undefined> {
    const storing = this.#storing.then(() => this.#storeNow(bytes, ending));
    this.#storing = storing.catch(() => {});
    return storing;
  }

  async #storeNow(bytes: Buffer, ending: string): Promise<ContentRef | undefined> {
    const { content, maxBytes } = this.#options;
    const contentId = `${PREFIX}${createHash('sha256').update(bytes).digest('hex')}.${ending}`;
    const ref = content.ref(contentId, bytes.length);
    if (!ref || (await content.sizeOf(contentId)) === bytes.length) return ref;
    this.#usedBytes ??= await this.#bytesKept();
    if (this.#usedBytes + bytes.length > maxBytes) {
      const mib = Math.floor(maxBytes / 1024 / 1024);
      const rejectionReason = `${REJECTION.contentFull} (${mib} MiB): go on in a new session`;
      throw new ContentRefused({ rejectionReason, rejection: { code: 'contentFull', detail: `${mib} MiB` } });
    }
    await content.store(contentId, bytes);
    this.#usedBytes += bytes.length;
    return ref;
  }

  async #bytesKept(): Promise<number> {
    const { content } = this.#options;
    let bytes = 0;
    for (const contentId of await content.list(PREFIX)) bytes += (await content.sizeOf(contentId)) ?? 0;
    return bytes;
  }

  /** Content that a client refers to must exist in this session. The host sets its size. */
  async #known(ref: ContentRef): Promise<ContentRef> {
    const { content } = this.#options;
    const contentId = this.#idOf(ref);
    const size = contentId === undefined ? undefined : await content.sizeOf(contentId);
    const known = contentId === undefined || size === undefined ? undefined : content.ref(contentId, size);
    if (!known) throw new ContentRefused(refuse('unknownContent', { detail: ref.uri.slice(0, 200) }));
    return known;
  }

  async #read(ref: ContentRef): Promise<Buffer> {
    const contentId = this.#idOf(ref);
    if (contentId === undefined) throw new Error(`what the message refers to is not in this session: ${ref.uri}`);
    return Buffer.from(await this.#options.content.readAll(contentId));
  }

  #idOf({ uri }: ContentRef): string | undefined {
    const parts = parseContentUri(uri);
    const isOurs = parts && sessionUri(parts.provider, parts.sessionId) === this.#options.session;
    return isOurs && parts.contentId.startsWith(PREFIX) ? parts.contentId : undefined;
  }
}

/** The SHA-256 of pasted content, from its URI. */
export function pastedHash(uri: URI): string | undefined {
  const { contentId = '' } = parseContentUri(uri) ?? {};
  return new RegExp(`^${PREFIX}([0-9a-f]{64})\\.`).exec(contentId)?.[1];
}

export function isLarge(data: string): boolean {
  return data.length * 3 > INLINE_CONTENT_LIMIT && Buffer.byteLength(data) > INLINE_CONTENT_LIMIT;
}

function withType(ref: ContentRef, { mimeType }: Attachment): ContentRef {
  return mimeType === undefined ? ref : { ...ref, mimeType };
}

function imageBytes(data: string, label: string): Buffer {
  const bytes = Buffer.from(data, 'base64');
  // Data that does not decode and encode to itself would reach the agent as something else.
  if (withoutPadding(bytes.toString('base64')) !== withoutPadding(data)) {
    const detail = `the data of the image ${JSON.stringify(label)} is not base64`;
    throw new ContentRefused(refuse('invalidAction', { detail }));
  }
  return bytes;
}

function withoutPadding(base64: string): string {
  return base64.replace(/=+$/, '');
}
