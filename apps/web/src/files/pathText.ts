/** A place in a file, as people and agents write it. */
export interface FilePlace {
  readonly path: string;
  readonly line?: number | undefined;
}

const LONGEST = 400;
/** `src/a.ts`, `src/a.ts:12`, `src/a.ts:12:5`, `src/a.ts:12-20`, `src/a.ts#L12`. */
const WITH_LINE = /^(.+?)(?::(\d{1,9})(?:[:-]\d{1,9})*|#L(\d{1,9})(?:-L?\d{1,9})?)?$/;
const NO_PATH = /[\s"'`<>|*?{}()\0]|:\/\/|^-|^[\d.]+$/;
const WITH_ENDING = /\.[\w+-]{1,12}$/;
/** Files without an ending that are named often. */
const KNOWN_NAME = /^(?:Makefile|Dockerfile|Containerfile|LICENSE|README|CHANGELOG|Gemfile|Rakefile|Procfile)$/;

/** The place that a short text names, if it may be one: the host says whether there is such a file. */
export function placeIn(text: string): FilePlace | undefined {
  const trimmed = text.trim().replace(/^file:\/\/(?=\/)/, '');
  if (trimmed === '' || trimmed.length > LONGEST) return undefined;
  const [, path = '', colon, hash] = WITH_LINE.exec(trimmed) ?? [];
  if (path === '' || NO_PATH.test(path)) return undefined;
  if (!path.includes('/') && !WITH_ENDING.test(path) && !KNOWN_NAME.test(path)) return undefined;
  const number = colon ?? hash;
  return { path, ...(number !== undefined && { line: Math.max(1, Number(number)) }) };
}

/** In running text only what can hardly be anything else: with a folder and an ending. Words are never read twice. */
const IN_TEXT =
  /(?<![\w@/.:~+-])(?:\.{0,2}\/)?(?:[\w@.+-]+\/)+[\w@+-][\w@.+-]*\.[A-Za-z]\w{0,7}(?::\d{1,9})?(?![\w/])/g;

/** The paths in a text, and what is between them. */
export function splitPaths(text: string): readonly { readonly text: string; readonly isPath: boolean }[] {
  const pieces: { text: string; isPath: boolean }[] = [];
  let end = 0;
  for (const match of text.matchAll(IN_TEXT)) {
    if (match.index > end) pieces.push({ text: text.slice(end, match.index), isPath: false });
    pieces.push({ text: match[0], isPath: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), isPath: false });
  return pieces;
}
