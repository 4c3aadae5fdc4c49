import { rm } from 'node:fs/promises';
import { readSmallFile } from '../../storage/fs/foreignFile.js';
import { findFiles } from './findFiles.js';
import { GEMINI_FILES, GeminiReader, geminiRoot } from './geminiStore.js';
import type { NativePlace } from './nativeStore.js';

/** A twin has only what Gemini CLI tells the model at the start, once or twice. */
const MAX_TWIN_BYTES = 1024 * 1024;

/**
 * Gemini CLI 0.61 writes a second, empty file for a conversation that it loads over ACP. When it starts the next time, it takes that file
 * for a broken one and deletes all files of the conversation. Removes such files, if another one has the conversation.
 */
export async function removeEmptyTwins(env: Readonly<Record<string, string>>, nativeId: string): Promise<void> {
  const home = env['HOME'] ?? env['USERPROFILE'];
  if (!home) return;
  const { levels, nativeIdOf, keyOf } = GEMINI_FILES;
  const { places } = await findFiles(geminiRoot(home), levels, nativeIdOf, keyOf(nativeId));
  if (places.length < 2) return;
  const looked = await Promise.all(places.map(async (place) => ({ place, isTwin: await isEmpty(place, nativeId) })));
  if (looked.every(({ isTwin }) => isTwin)) return;
  for (const { place, isTwin } of looked) if (isTwin) await rm(place.path, { force: true });
}

async function isEmpty({ path, size }: NativePlace, nativeId: string): Promise<boolean> {
  const text = size > MAX_TWIN_BYTES ? undefined : await readSmallFile(path, MAX_TWIN_BYTES);
  if (text === undefined) return false;
  const reader = new GeminiReader();
  try {
    const lines = text.split('\n').filter((line) => line !== '');
    if (lines.some((line) => [...reader.take(JSON.parse(line))].length > 0)) return false;
  } catch {
    return false;
  }
  return reader.nativeId === nativeId;
}
