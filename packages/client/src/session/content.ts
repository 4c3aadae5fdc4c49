import {
  type Attachment,
  type ContentRange,
  type ContentRef,
  MAX_CONTENT_RANGE,
  type URI,
  type UserMessage,
} from '@agenthost/protocol';
import type { FetchContentResult } from '@agenthost/protocol/internal';
import { WEB_BYTES } from '../byteTools.js';
import type { CommandChannel, CommandOptions } from '../connection/commandChannel.js';
import { LimitReachedError } from '../errors.js';

export interface Content {
  readonly bytes: Uint8Array;
  readonly mimeType?: string | undefined;
  /** Of the whole content, also when only a range of it was fetched. */
  readonly size: number;
  /** The bytes as UTF-8. */
  text(): string;
}

export interface FetchContentOptions extends CommandOptions {
  /** In bytes. Default: the whole content. */
  readonly range?: ContentRange;
  /** How much may be held; more rejects. Default 64 MiB. */
  readonly maxBytes?: number;
}

const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;

/** In pieces that fit into a frame. */
export async function fetchContent(
  commands: CommandChannel,
  uri: URI,
  { range, maxBytes = DEFAULT_MAX_BYTES, ...options }: FetchContentOptions,
): Promise<Content> {
  const chunks: Uint8Array[] = [];
  let [offset, end] = range ? [range.offset, range.offset + range.length] : [0, Number.POSITIVE_INFINITY];
  let held = 0;
  for (;;) {
    const piece = { offset, length: Math.min(MAX_CONTENT_RANGE, end - offset) };
    const result = await commands.request('fetchContent', { uri, range: piece }, options);
    const bytes = bytesOf(result);
    end = Math.min(end, result.size);
    if (held + Math.max(bytes.length, end - offset) > maxBytes) {
      throw new LimitReachedError(
        `${uri} has ${result.size} bytes, more than the ${maxBytes} that may be held; fetch a range`,
      );
    }
    chunks.push(bytes);
    held += bytes.length;
    offset += bytes.length;
    if (offset >= end || bytes.length === 0) return contentOf(chunks, held, result);
  }
}

/** A message as it was sent: with the text and the data that the state only refers to. */
export async function wholeMessage(
  commands: CommandChannel,
  { text, textRef, attachments, ...rest }: UserMessage,
  options: CommandOptions,
): Promise<UserMessage> {
  const fetch = (ref: ContentRef): Promise<Content> => fetchContent(commands, ref.uri, options);
  const whole: Attachment[] = [];
  for (const { ref, ...attachment } of attachments ?? []) {
    const content = ref && (await fetch(ref));
    const data = attachment.kind === 'image' ? content && WEB_BYTES.toBase64(content.bytes) : content?.text();
    whole.push({ ...attachment, ...(data !== undefined && { data }) });
  }
  const wholeText = textRef ? (await fetch(textRef)).text() : text;
  return { text: wholeText, ...(attachments && { attachments: whole }), ...rest };
}

function contentOf(chunks: readonly Uint8Array[], length: number, { mimeType, size }: FetchContentResult): Content {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return { bytes, mimeType, size, text: () => new TextDecoder().decode(bytes) };
}

function bytesOf({ data, encoding }: FetchContentResult): Uint8Array {
  return encoding === 'utf-8' ? WEB_BYTES.encodeText(data) : WEB_BYTES.fromBase64(data);
}
