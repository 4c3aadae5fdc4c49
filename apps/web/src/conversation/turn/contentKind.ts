import type { ContentRef } from '@agenthost/protocol';
import { isShownImage } from '../../markdown/safeUrl.js';

/** Types that the page plays. Like the images, none of them can run code. */
const AUDIO_TYPE = /^audio\/(?:wav|mpeg|flac|ogg|mp4|webm)$/;
/** Larger content is fetched on demand. */
const LARGEST = 8 * 1024 * 1024;

export type ContentKind = 'image' | 'audio' | 'file';

export function contentKind({ mimeType = '', sizeHint = 0 }: ContentRef): ContentKind {
  if (sizeHint > LARGEST) return 'file';
  if (isShownImage(mimeType)) return 'image';
  return AUDIO_TYPE.test(mimeType) ? 'audio' : 'file';
}

/** "PNG image", "WAV audio", "File". */
export function contentName(content: ContentRef): string {
  const kind = contentKind(content);
  if (kind === 'file') return 'File';
  const format = (content.mimeType ?? '').split('/')[1] ?? '';
  return `${FORMATS[format] ?? format.toUpperCase()} ${kind}`;
}

const FORMATS: Readonly<Record<string, string>> = { mpeg: 'MP3', webp: 'WebP', ogg: 'Ogg', webm: 'WebM' };
