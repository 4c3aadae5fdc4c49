import type { ContentRef, SessionSummary, Turn, URI } from '@agenthost/protocol';
import { turnContents } from '@agenthost/protocol/internal';
import { WEB_BYTES } from '../byteTools.js';

/** The head of an exported session. The turns follow, one per line, so that a large file can be streamed. */
export interface ExportHeader {
  readonly format: 'agenthost-session';
  readonly version: 1;
  readonly exportedAt: string;
  readonly session: Pick<
    SessionSummary,
    'resource' | 'provider' | 'title' | 'createdAt' | 'model' | 'workingDirectory'
  >;
}

/** A turn in the file, with the bytes of the content that it refers to, each in the first turn that does. */
export type ExportedTurn = Turn & { readonly contents?: readonly ExportedContent[] };

export interface ExportedContent {
  readonly uri: URI;
  /** Base64. */
  readonly data: string;
}

/** The bytes of a content; `undefined` if they can't be read. */
export type ReadContent = (ref: ContentRef) => Promise<Uint8Array | undefined>;

export const EXPORT_VERSION = 1;

export async function* jsonExport(
  summary: SessionSummary,
  turns: AsyncIterable<Turn>,
  readContent: ReadContent,
): AsyncGenerator<string> {
  const { resource, provider, title, createdAt, model, workingDirectory } = summary;
  const header: ExportHeader = {
    format: 'agenthost-session',
    version: EXPORT_VERSION,
    exportedAt: new Date().toISOString(),
    session: {
      resource,
      provider,
      title,
      createdAt,
      ...(model !== undefined && { model }),
      ...(workingDirectory !== undefined && { workingDirectory }),
    },
  };
  // One JSON document with one line per turn.
  yield `${JSON.stringify(header).slice(0, -1)},"turns":[\n`;
  let separator = '';
  const written = new Set<URI>();
  for await (const turn of turns) {
    const contents: ExportedContent[] = [];
    for (const ref of turnContents(turn)) {
      if (written.has(ref.uri)) continue;
      written.add(ref.uri);
      const bytes = await readContent(ref);
      if (bytes) contents.push({ uri: ref.uri, data: WEB_BYTES.toBase64(bytes) });
    }
    const exported: ExportedTurn = { ...turn, ...(contents.length > 0 && { contents }) };
    yield `${separator}${JSON.stringify(exported)}`;
    separator = ',\n';
  }
  yield `\n]}\n`;
}
