/** The types of content by the ending of its id. None that a browser would run. */
export const CONTENT_TYPES: Readonly<Record<string, string>> = {
  txt: 'text/plain; charset=utf-8',
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  m4a: 'audio/mp4',
  weba: 'audio/webm',
};
const BYTES = 'application/octet-stream';

export function contentTypeOf(contentId: string): string {
  const ending = contentId.slice(contentId.lastIndexOf('.') + 1);
  return (Object.hasOwn(CONTENT_TYPES, ending) ? CONTENT_TYPES[ending] : undefined) ?? BYTES;
}

/** The ending of the id of a content of this type. */
export function endingOf(mimeType: string | undefined): string {
  const known = Object.entries(CONTENT_TYPES).find(([, type]) => type === mimeType?.toLowerCase());
  return known?.[0] ?? 'bin';
}

interface Signature {
  readonly ending: string;
  /** Bytes in Latin-1, and their offset. */
  readonly marks: readonly (readonly [offset: number, text: string])[];
  /** Also the signature of videos or of arbitrary bytes: it counts only if the agent says that it is audio. */
  readonly needsClaim?: true;
}

const SIGNATURES: readonly Signature[] = [
  { ending: 'png', marks: [[0, '\x89PNG\r\n\x1a\n']] },
  { ending: 'jpg', marks: [[0, '\xff\xd8\xff']] },
  { ending: 'gif', marks: [[0, 'GIF87a']] },
  { ending: 'gif', marks: [[0, 'GIF89a']] },
  {
    ending: 'webp',
    marks: [
      [0, 'RIFF'],
      [8, 'WEBP'],
    ],
  },
  {
    ending: 'wav',
    marks: [
      [0, 'RIFF'],
      [8, 'WAVE'],
    ],
  },
  { ending: 'flac', marks: [[0, 'fLaC']] },
  { ending: 'mp3', marks: [[0, 'ID3']] },
  { ending: 'mp3', marks: [[0, '\xff\xfb']], needsClaim: true },
  { ending: 'mp3', marks: [[0, '\xff\xf3']], needsClaim: true },
  { ending: 'ogg', marks: [[0, 'OggS']], needsClaim: true },
  { ending: 'm4a', marks: [[4, 'ftyp']], needsClaim: true },
  { ending: 'weba', marks: [[0, '\x1a\x45\xdf\xa3']], needsClaim: true },
];

/** The ending for bytes of this claimed type: by their first bytes, `bin` if these are not known. */
export function endingOfBytes(bytes: Uint8Array, claimed: string): string {
  const start = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  const isAudio = /^\s*audio\b/i.test(claimed);
  const found = SIGNATURES.find(
    ({ marks, needsClaim }) =>
      (!needsClaim || isAudio) && marks.every(([offset, text]) => start.startsWith(text, offset)),
  );
  return found?.ending ?? 'bin';
}
