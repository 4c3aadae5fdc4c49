import type { ReadSessionFileResult } from '@agenthost/protocol';

/** As much as git looks at. */
export const HEAD_BYTES = 8_000;

const IMAGES: readonly (readonly [mimeType: string, marks: readonly (readonly [offset: number, text: string])[]])[] = [
  ['image/png', [[0, '\x89PNG\r\n\x1a\n']]],
  ['image/jpeg', [[0, '\xff\xd8\xff']]],
  ['image/gif', [[0, 'GIF87a']]],
  ['image/gif', [[0, 'GIF89a']]],
  [
    'image/webp',
    [
      [0, 'RIFF'],
      [8, 'WEBP'],
    ],
  ],
];

/** What a file is by its first bytes: its name may say something else. An SVG is text. */
export function fileKind(head: Uint8Array): Pick<ReadSessionFileResult, 'kind' | 'mimeType'> {
  const start = Buffer.from(head.subarray(0, 16)).toString('latin1');
  const image = IMAGES.find(([, marks]) => marks.every(([offset, text]) => start.startsWith(text, offset)));
  if (image) return { kind: 'image', mimeType: image[0] };
  return { kind: head.subarray(0, HEAD_BYTES).includes(0) ? 'binary' : 'text' };
}
