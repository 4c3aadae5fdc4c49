import { MAX_CONTENT_RANGE } from '@agenthost/protocol';
import type { FetchContentResult } from '@agenthost/protocol/internal';
import type { ApiCall } from './apiCall.js';
import { Problem } from './problem.js';
import type { StreamedAnswer } from './streamedAnswer.js';

/** A piece at a time, each read when the one before it was taken. */
const PIECE_BYTES = Math.min(256 * 1024, MAX_CONTENT_RANGE);
const MIME_TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/;

/** The bytes of a content, or a range of them, as the request's `Range` says. */
export async function sendContent({ client, query }: ApiCall, streamed: StreamedAnswer): Promise<void> {
  const uri = String(query['uri']);
  const piece = (offset: number, length: number) => client.request('fetchContent', { uri, range: { offset, length } });
  const { size, mimeType } = await piece(0, 1);
  const range = rangeOf(streamed.request.headers.range, size);
  const { from, to } = range ?? { from: 0, to: size };
  streamed.begin(range ? 206 : 200, {
    'content-type': mimeType !== undefined && MIME_TYPE.test(mimeType) ? mimeType : 'application/octet-stream',
    'content-length': to - from,
    'accept-ranges': 'bytes',
    // What an agent has made is shown nowhere as a page of the host.
    'content-disposition': 'attachment',
    ...(range && { 'content-range': `bytes ${from}-${to - 1}/${size}` }),
  });
  for (let at = from; at < to && !streamed.isOver; ) {
    const bytes = bytesOf(await piece(at, Math.min(PIECE_BYTES, to - at)));
    // It has become shorter meanwhile: the length was promised.
    if (bytes.length === 0) return void streamed.response.destroy();
    await streamed.write(bytes);
    at += bytes.length;
  }
  streamed.response.end();
}

/** One range of bytes; `undefined` for the whole, also where several are asked for, which HTTP allows. */
function rangeOf(header: string | undefined, size: number): { readonly from: number; readonly to: number } | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const from = first === '' ? Math.max(size - Number(last), 0) : Number(first);
  const to = first === '' || last === '' ? size : Math.min(Number(last) + 1, size);
  if (from < to) return { from, to };
  throw new Problem(416, 'rangeNotSatisfiable', `The content has ${size} bytes.`, {
    whatToDo: 'Ask for a range inside of it.',
    headers: { 'content-range': `bytes */${size}` },
  });
}

function bytesOf({ data, encoding }: FetchContentResult): Uint8Array {
  return Buffer.from(data, encoding === 'utf-8' ? 'utf8' : 'base64');
}
