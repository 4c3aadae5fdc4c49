import type { SessionSummary, Turn } from '@agenthost/protocol';

/** What an exported session begins with. The turns follow, one a line, so that a large file is read as it comes. */
export interface ExportHeader {
  readonly format: 'agenthost-session';
  readonly version: 1;
  readonly exportedAt: string;
  readonly session: Pick<
    SessionSummary,
    'resource' | 'provider' | 'title' | 'createdAt' | 'model' | 'workingDirectory'
  >;
}

export const EXPORT_VERSION = 1;

export async function* jsonExport(summary: SessionSummary, turns: AsyncIterable<Turn>): AsyncGenerator<string> {
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
  // One JSON document, whose turns are a line each.
  yield `${JSON.stringify(header).slice(0, -1)},"turns":[\n`;
  let separator = '';
  for await (const turn of turns) {
    yield `${separator}${JSON.stringify(turn)}`;
    separator = ',\n';
  }
  yield `\n]}\n`;
}
