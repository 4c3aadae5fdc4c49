import type { Attachment } from '@agenthost/protocol';
import { isShownImage } from '../markdown/safeUrl.js';

const LARGEST = 10 * 1024 * 1024;
const MOST = 20;

/** Files of this device as attachments. Unsuitable files are named, with the reason. */
export async function readAttachments(
  files: readonly File[],
): Promise<{ attachments: Attachment[]; refused: string | undefined }> {
  const attachments: Attachment[] = [];
  const problems: string[] = [];
  if (files.length > MOST) problems.push(`Only the first ${MOST} files were attached.`);
  for (const file of files.slice(0, MOST)) {
    const label = file.name || 'pasted image';
    if (file.size > LARGEST) {
      problems.push(`${label} is larger than 10 MB. Put it into the project folder and mention its path.`);
      continue;
    }
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (isShownImage(file.type)) {
      attachments.push({ kind: 'image', label, data: base64(bytes), mimeType: file.type });
      continue;
    }
    const text = asText(bytes);
    if (text === undefined)
      problems.push(`${label} is neither text nor an image. Put it into the project folder and mention its path.`);
    else attachments.push({ kind: 'text', label, data: text, ...(file.type && { mimeType: file.type }) });
  }
  return { attachments, refused: problems.length > 0 ? problems.join(' ') : undefined };
}

function asText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function base64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}
