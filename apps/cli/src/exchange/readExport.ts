import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { EXPORT_VERSION, type ExportedTurn, type ExportHeader, type ReadContent } from '@agenthost/client/internal';
import type { Turn, URI } from '@agenthost/protocol';
import { CommandError, EXIT } from '../commandError.js';

const MAX_LINE_CHARS = 64 * 1024 * 1024;

export interface ReadExport {
  readonly header: ExportHeader;
  /** Must be read to the end, or the file stays open. */
  readonly turns: AsyncGenerator<Turn>;
  /** The bytes that came with the last read turn. */
  readonly content: ReadContent;
}

/** Reads an export as a stream. */
export async function readExport(file: string): Promise<ReadExport> {
  const input = file === '-' ? process.stdin : createReadStream(file);
  const failed = new Promise<never>((_, reject) => {
    input.once('error', (error: Error) => reject(unreadable(file, error.message)));
  });
  failed.catch(() => {});
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await Promise.race([lines.next(), failed]);
    if (!done && value.length > MAX_LINE_CHARS) throw unreadable(file, 'a line is longer than any turn');
    return done ? undefined : (value as string);
  };
  const header = parseHeader(file, await next());
  const contents = new Map<URI, string>();
  return { header, turns: readTurns(file, next, contents), content: async ({ uri }) => bytesOf(contents.get(uri)) };
}

function bytesOf(data: string | undefined): Uint8Array | undefined {
  return typeof data === 'string' ? Buffer.from(data, 'base64') : undefined;
}

/** The contents of a turn are kept until the next one is read. */
async function* readTurns(
  file: string,
  next: () => Promise<string | undefined>,
  kept: Map<URI, string>,
): AsyncGenerator<Turn> {
  for (let line = 2; ; line++) {
    const text = await next();
    if (text === undefined) throw unreadable(file, 'it ends in the middle');
    if (text === ']}') return;
    if (text === '') continue;
    // The host checks the content.
    const { contents = [], ...turn } = parse(file, line, text.endsWith(',') ? text.slice(0, -1) : text) as ExportedTurn;
    kept.clear();
    for (const { uri, data } of Array.isArray(contents) ? contents : []) kept.set(uri, data);
    yield turn;
  }
}

function parseHeader(file: string, line: string | undefined): ExportHeader {
  const start = line?.endsWith('"turns":[') ? `${line.slice(0, -',"turns":['.length)}}` : '';
  const { format, version, session } = (start ? parse(file, 1, start) : {}) as Partial<ExportHeader>;
  if (format !== 'agenthost-session' || typeof session?.provider !== 'string') {
    throw unreadable(file, 'it is no session that agenthost export --format json wrote');
  }
  if (version !== EXPORT_VERSION)
    throw unreadable(file, `it has version ${String(version)}, written by a newer agenthost`);
  return JSON.parse(start) as ExportHeader;
}

function parse(file: string, line: number, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadable(file, `line ${line}: ${(error as Error).message}`);
  }
}

function unreadable(file: string, why: string): CommandError {
  const name = file === '-' ? 'Standard input' : file;
  return new CommandError(
    EXIT.failed,
    `${name} can't be imported: ${why}.`,
    'Give a file that agenthost export --format json wrote.',
  );
}
