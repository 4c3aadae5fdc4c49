import type { ContentRef, ToolCallState } from '@agenthost/protocol';
import { safeLine } from './safeText.js';

/** `image, 12 KB, image/png: mock://…`: the kind and the address. */
export function contentLine({ uri, mimeType = 'application/octet-stream', sizeHint }: ContentRef): string {
  const kind = /^(image|audio)\//.exec(mimeType)?.[1] ?? 'file';
  const facts = [kind, ...(sizeHint === undefined ? [] : [size(sizeHint)]), mimeType];
  return safeLine(`${facts.join(', ')}: ${uri}`);
}

/** The images, audio and files of a call's result. Text is shown as its output. */
export function resultContents(call: ToolCallState): readonly ContentRef[] {
  const content = call.status === 'completed' ? (call.result.content ?? []) : [];
  const refs = content.flatMap((piece) => (piece.type === 'contentRef' ? [piece.ref] : []));
  return refs.filter(({ mimeType }) => !mimeType?.startsWith('text/'));
}

function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
