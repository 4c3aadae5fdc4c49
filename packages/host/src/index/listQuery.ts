import type { SQLInputValue } from 'node:sqlite';
import type { ListSessionsFilter } from '@agenthost/protocol';
import { sessionOf } from './indexSchema.js';
import type { SearchTerm } from './searchQuery.js';

export interface Conditions {
  /** Empty, or begins with WHERE. */
  readonly where: string;
  readonly values: readonly SQLInputValue[];
}

export function conditions(filter: ListSessionsFilter, terms: readonly SearchTerm[]): Conditions {
  const parts: string[] = [];
  const values: SQLInputValue[] = [];
  const add = (sql: string, bound: SQLInputValue) => {
    parts.push(sql);
    values.push(bound);
  };
  if (filter.provider !== undefined) add('provider = ?', filter.provider);
  if (filter.status !== undefined) add('status = ?', filter.status);
  if (filter.isArchived !== undefined) add('isArchived = ?', Number(filter.isArchived));
  if (filter.isRead !== undefined) add('isRead = ?', Number(filter.isRead));
  if (filter.workspace !== undefined) add('workspace = ?', filter.workspace);
  if (filter.modifiedSince !== undefined) add('modifiedAt >= ?', filter.modifiedSince);
  for (const term of terms) {
    if (term.kind === 'title') add(`title LIKE ? ESCAPE '\\'`, term.pattern);
    // Each on its own: one word may be in the title and the next in an answer.
    else add(`id IN (SELECT ${sessionOf('rowid')} FROM search WHERE search MATCH ?)`, term.query);
  }
  return { where: parts.length > 0 ? `WHERE ${parts.join(' AND ')}` : '', values };
}

export function encodeCursor(modifiedAt: unknown, resource: unknown): string {
  return Buffer.from(JSON.stringify([modifiedAt, resource])).toString('base64url');
}

export function decodeCursor(cursor: string): [number, string] {
  try {
    const [modifiedAt, resource] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[];
    if (typeof modifiedAt === 'number' && typeof resource === 'string') return [modifiedAt, resource];
  } catch {
    // Said below.
  }
  throw new InvalidCursorError();
}

export class InvalidCursorError extends Error {
  constructor() {
    super('not a cursor of this host: list again from the start');
    this.name = 'InvalidCursorError';
  }
}
