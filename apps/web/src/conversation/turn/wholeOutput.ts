import type { Content } from '@agenthost/client';

/** Bytes in one request, and those that one click loads. */
const PIECE = 256 * 1024;
export const STEP = 4 * 1024 * 1024;

type Fetch = (uri: string, range: { readonly offset: number; readonly length: number }) => Promise<Content>;

/** The loaded beginning of an output. */
export interface LoadedOutput {
  readonly text: string;
  /** Bytes, loaded and in all. */
  readonly loaded: number;
  readonly size: number;
  /** The bytes of a character that the last piece cut through. */
  readonly rest: Uint8Array;
}

/** Loads what follows `before`, up to `STEP` bytes of it. A character that lies across two pieces stays one character. */
export async function loadOutput(fetch: Fetch, uri: string, before?: LoadedOutput): Promise<LoadedOutput> {
  const decoder = new TextDecoder();
  let text = before?.text ?? '';
  let loaded = before?.loaded ?? 0;
  let size = before?.size ?? Number.POSITIVE_INFINITY;
  let rest: Uint8Array = before?.rest ?? new Uint8Array();
  text += decoder.decode(rest, { stream: true });
  for (const end = loaded + STEP; loaded < Math.min(end, size); ) {
    const { bytes, size: whole } = await fetch(uri, { offset: loaded, length: PIECE });
    size = whole;
    if (bytes.length === 0) break;
    text += decoder.decode(bytes, { stream: true });
    loaded += bytes.length;
    rest = cutCharacter(joined(rest, bytes));
  }
  if (loaded >= size) text += decoder.decode();
  return { text, loaded, size, rest };
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  // Only the end matters: a character has at most four bytes.
  const tail = b.subarray(Math.max(0, b.length - 4));
  if (b.length >= 4 || a.length === 0) return tail;
  const all = new Uint8Array(a.length + tail.length);
  all.set(a);
  all.set(tail, a.length);
  return all;
}

/** The bytes of an unfinished UTF-8 character at the end; empty if there is none. */
function cutCharacter(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return back < needs ? bytes.slice(bytes.length - back) : new Uint8Array();
  }
  return new Uint8Array();
}
