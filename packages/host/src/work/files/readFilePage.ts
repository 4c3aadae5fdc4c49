import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { ReadSessionFileParams, ReadSessionFileResult } from '@agenthost/protocol';
import { MAX_FILE_TEXT_PAGE } from '@agenthost/protocol/internal';
import { FileError } from './fileError.js';
import { fileKind, HEAD_BYTES } from './fileKind.js';
import type { FolderRoot } from './folderRoot.js';

/** Without waiting for a pipe, and without following a link that took the file's place. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
const CHUNK_BYTES = 64 * 1024;
/** A line is not looked for behind these. */
const MAX_SEARCHED_BYTES = 64 * 1024 * 1024;
/** No character is longer. */
const MAX_CHARACTER_BYTES = 4;
const LINE_FEED = 10;

/** A page of a file. Only regular files are read, whatever takes their place meanwhile. */
export async function readFilePage(
  root: FolderRoot,
  params: Omit<ReadSessionFileParams, 'session'>,
): Promise<ReadSessionFileResult> {
  const real = await root.locate(params.path);
  return root.use(real, params.path, async (at) => {
    const file = await open(at, READ);
    try {
      return { path: root.shown(real), ...(await pageOf(file, params)) };
    } finally {
      await file.close();
    }
  });
}

async function pageOf(
  file: FileHandle,
  { offset: asked = 0, line: wanted, length = MAX_FILE_TEXT_PAGE, asBytes }: Omit<ReadSessionFileParams, 'session'>,
): Promise<Omit<ReadSessionFileResult, 'path'>> {
  const stats = await file.stat({ bigint: true });
  if (!stats.isFile()) throw new FileError('notAFile', 'It is not a file.');
  const size = Number(stats.size);
  const about = {
    ...fileKind(await readBytes(file, 0, HEAD_BYTES)),
    size,
    modifiedAt: Math.max(0, Number(stats.mtimeMs)),
    revision: `${stats.ino}-${stats.size}-${stats.mtimeNs}`,
  };
  if (about.kind !== 'text' && !asBytes) return { ...about, offset: 0 };
  const place = wanted === undefined ? { offset: asked, ...(asked === 0 && { line: 1 }) } : await lineAt(file, wanted);
  if (asBytes) {
    const bytes = await readBytes(file, place.offset, length);
    return { ...about, ...place, data: bytes.toString('base64'), ...nextOf(place.offset + bytes.length, size) };
  }
  const most = Math.min(Math.max(length, MAX_CHARACTER_BYTES), MAX_FILE_TEXT_PAGE);
  const bytes = await readBytes(file, place.offset, most);
  const from = place.offset === 0 ? 0 : continuationBytes(bytes);
  const to = place.offset + bytes.length < size ? wholeCharacters(bytes) : bytes.length;
  const begin = place.offset + from;
  return { ...about, ...place, offset: begin, ...textOf(bytes.subarray(from, to)), ...nextOf(begin + to - from, size) };
}

function nextOf(end: number, size: number) {
  return end < size ? { nextOffset: end } : {};
}

function textOf(bytes: Uint8Array): Pick<ReadSessionFileResult, 'text' | 'isDamaged'> {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), isDamaged: true };
  }
}

/** How many bytes at the start belong to a character that began before. */
function continuationBytes(bytes: Uint8Array): number {
  let count = 0;
  while (count < MAX_CHARACTER_BYTES - 1 && isContinuation(bytes[count])) count++;
  return count;
}

/** Where the last character that is whole ends. */
function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back < MAX_CHARACTER_BYTES && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back];
    if (isContinuation(byte)) continue;
    return characterBytes(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function characterBytes(first = 0): number {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
}

/** Where a line begins; the beginning of the file if there is no such line near enough. */
async function lineAt(file: FileHandle, wanted: number): Promise<{ readonly offset: number; readonly line: number }> {
  let left = wanted - 1;
  for (let offset = 0; left > 0 && offset < MAX_SEARCHED_BYTES; offset += CHUNK_BYTES) {
    const bytes = await readBytes(file, offset, CHUNK_BYTES);
    if (bytes.length === 0) break;
    for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) {
      left--;
      if (left === 0) return { offset: offset + at + 1, line: wanted };
    }
  }
  return { offset: 0, line: 1 };
}

/** Fewer at the end of the file. */
async function readBytes(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await file.read(buffer, read, length - read, offset + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return buffer.subarray(0, read);
}
