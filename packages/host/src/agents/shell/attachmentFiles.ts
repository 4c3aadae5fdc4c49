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

/** Variables for a command, each with the path of an attachment. An attachment with data becomes a file in that folder. */
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

/** `undefined` for a path of another machine, or one that can't be passed to a program. */
function localPath(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}
