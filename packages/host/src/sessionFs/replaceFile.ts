import type { SessionFs } from './sessionFs.js';

/** Replaces a file so that at any moment either the old content or the new one is there, whole. */
export async function replaceFile(
  fs: SessionFs,
  path: string,
  content: string | Uint8Array,
  options: { readonly sync?: boolean; readonly temporary?: string } = {},
): Promise<void> {
  const temp = options.temporary ?? `${path}.tmp`;
  try {
    await fs.writeFile(temp, content);
    if (options.sync) await fs.sync?.(temp);
    await fs.rename(temp, path);
  } catch (error) {
    // On a full disk the half of it that was written takes the room that the next try needs.
    await fs.rm(temp, { force: true }).catch(() => undefined);
    throw error;
  }
  if (options.sync) await fs.sync?.(path);
}
