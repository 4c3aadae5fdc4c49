import type { FetchDiffResult } from '@agenthost/protocol';
import { Problem } from '../problem.js';
import type { ToolCall } from './toolCall.js';

const FILES = 100;
/** Of one answer, in code units. */
const MAX_DIFF = 24_000;
const CURSOR = /^([0-9a-f]{40,64})\.([0-9a-f]{40,64})\.(\d{1,9})\.(\d{1,9})$/;

/** The files that a session changed, or with `path` what changed in one of them, as a unified diff. */
export async function readChanges(call: ToolCall): Promise<object> {
  const path = call.arg<string | undefined>('path');
  return path === undefined ? listFiles(call) : readDiff(call, path);
}

async function listFiles(call: ToolCall): Promise<object> {
  const { client, session } = call;
  const cursor = call.arg<string | undefined>('cursor');
  const since = call.arg<'lastTurn' | 'session' | 'base' | undefined>('since') ?? 'session';
  const found = await client.request('listChanges', {
    session,
    since,
    limit: FILES,
    ...(cursor !== undefined && { cursor }),
  });
  return {
    ...(found.branch !== undefined && { branch: found.branch }),
    total: found.total,
    additions: found.additions,
    deletions: found.deletions,
    files: found.files.map(({ id: _, ...file }) => file),
    ...(found.nextCursor !== undefined && { cursor: found.nextCursor }),
    ...(!found.hasSnapshots &&
      since !== 'base' && { note: 'There is no snapshot of the folder: only since "base" can be compared.' }),
  };
}

/** A page of the host can be longer than an answer: the place in it is a part of the cursor. */
async function readDiff(call: ToolCall, path: string): Promise<object> {
  const { client, session } = call;
  const cursor = call.arg<string | undefined>('cursor');
  const place = cursor === undefined ? undefined : placeOf(cursor);
  const since = call.arg<'lastTurn' | 'session' | 'base' | undefined>('since') ?? 'session';
  const page = await client.request('fetchDiff', {
    session,
    path,
    ...(place ? { from: place.from, to: place.to, ...(place.page > 0 && { cursor: place.page }) } : { since }),
  });
  const { from, to, file, kind, nextCursor } = page;
  const lines = linesOf(page);
  const shown: string[] = [];
  let length = 0;
  let at = place?.line ?? 0;
  for (; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (length + line.length + 1 > MAX_DIFF && shown.length > 0) break;
    shown.push(line.slice(0, MAX_DIFF));
    length += line.length + 1;
  }
  const isWhole = at >= lines.length;
  const next = isWhole ? nextCursor !== undefined && `${nextCursor}.0` : `${place?.page ?? 0}.${at}`;
  return {
    path: file.path,
    status: file.status,
    kind,
    diff: shown.join('\n'),
    ...(next && { cursor: `${from}.${to}.${next}` }),
  };
}

function linesOf({ hunks }: FetchDiffResult): string[] {
  return hunks.flatMap(({ oldStart, oldLines, newStart, newLines, heading = '', lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@ ${heading}`.trimEnd(),
    ...lines,
  ]);
}

function placeOf(cursor: string) {
  const [, from, to, page, line] = CURSOR.exec(cursor) ?? [];
  if (from !== undefined && to !== undefined) return { from, to, page: Number(page), line: Number(line) };
  throw new Problem(400, 'invalidRequest', 'This is not a cursor of a diff.', {
    whatToDo: 'Send the cursor of the answer before, or none.',
  });
}
