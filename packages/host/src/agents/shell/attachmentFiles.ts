import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Attachment } from '@agenthost/protocol';

const ENDINGS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};

/** Variables for a command, each with the path of an attachment: what has data becomes a file in that folder. */
export async function attachmentFiles(
  attachments: readonly Attachment[],
  folder: string,
): Promise<Record<string, string>> {
  const variables: Record<string, string> = {};
  for (const [index, attachment] of attachments.entries()) {
    const path = await pathOf(attachment, join(folder, `attachment-${index + 1}`));
    if (path !== undefined) variables[`ATTACHMENT_${index + 1}`] = path;
  }
  return variables;
}

async function pathOf({ kind, data, uri, mimeType = '' }: Attachment, target: string): Promise<string | undefined> {
  if (data === undefined) return uri?.startsWith('file:') ? localPath(uri) : undefined;
  const isImage = kind === 'image';
  const path = `${target}.${isImage ? (ENDINGS[mimeType] ?? 'bin') : 'txt'}`;
  await writeFile(path, isImage ? Buffer.from(data, 'base64') : data, { mode: 0o600, flag: 'wx' });
  return path;
}

/** `undefined` for the path of another machine, or one that no program could be given. */
function localPath(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}
