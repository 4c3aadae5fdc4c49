import type { ContentRange } from '@agenthost/protocol';
import type { FetchContentResult } from '@agenthost/protocol/internal';
import { type SessionFs, SessionFsFailure } from '../../storage/fs/sessionFs.js';

/** A range of a file as `fetchContent` answers it. Rejects with `ENOENT` if there is no such file. */
export async function readPiece(
  fs: SessionFs,
  path: string,
  { offset, length: wanted }: ContentRange,
): Promise<Omit<FetchContentResult, 'mimeType'>> {
  const { size, isFile } = await fs.stat(path);
  if (!isFile) throw new SessionFsFailure('ENOENT', `${path} is no file`);
  const length = Math.max(Math.min(wanted, size - offset), 0);
  const bytes = length === 0 ? new Uint8Array() : await readRange(fs, path, offset, length);
  return { ...encoded(bytes), size };
}

async function readRange(fs: SessionFs, path: string, offset: number, length: number): Promise<Uint8Array> {
  if (fs.readRange) return fs.readRange(path, offset, length);
  return (await fs.readFileBytes(path)).subarray(offset, offset + length);
}

/** As text if the range is valid text; a cut inside a character makes it bytes. */
export function encoded(bytes: Uint8Array): Pick<FetchContentResult, 'data' | 'encoding'> {
  try {
    return { data: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), encoding: 'utf-8' };
  } catch {
    return { data: Buffer.from(bytes).toString('base64'), encoding: 'base64' };
  }
}
