import type { SessionFs } from './sessionFs.js';

/** Replaces a file so that at any moment either the old content or the new one is there, complete. */
export async function replaceFile(
  fs: SessionFs,
  path: string,
  content: string | Uint8Array | AsyncIterable<Uint8Array>,
  options: { readonly sync?: boolean; readonly temporary?: string } = {},
): Promise<void> {
  const temp = options.temporary ?? `${path}.tmp`;
  try {
    if (typeof content === 'string' || content instanceof Uint8Array) await fs.writeFile(temp, content);
    else await writePieces(fs, temp, content);
    if (options.sync) await fs.sync?.(temp);
    await fs.rename(temp, path);
  } catch (error) {
    // On a full disk the partial file takes the room that the next try needs.
    await fs.rm(temp, { force: true }).catch(() => undefined);
    throw error;
  }
  if (options.sync) await fs.sync?.(path);
}

async function writePieces(fs: SessionFs, path: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  let isBegun = false;
  for await (const piece of pieces) {
    if (isBegun) await fs.appendFile(path, piece);
    else await fs.writeFile(path, piece);
    isBegun = true;
  }
  if (!isBegun) await fs.writeFile(path, '');
}
