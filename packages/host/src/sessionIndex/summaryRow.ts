import type { SQLInputValue } from 'node:sqlite';
import type { SessionSummary } from '@agenthost/protocol';
import { searchable } from './searchText.js';

export const UPSERT_SUMMARY = `
  INSERT INTO sessions (resource, provider, title, modifiedAt, status, isRead, isArchived, workspace, summary)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (resource) DO UPDATE SET title = excluded.title, modifiedAt = excluded.modifiedAt,
    status = excluded.status, isRead = excluded.isRead, isArchived = excluded.isArchived,
    workspace = excluded.workspace, summary = excluded.summary`;

/** The values of `UPSERT_SUMMARY`. */
export function summaryRow(summary: SessionSummary): SQLInputValue[] {
  const { resource, provider, title, modifiedAt, status, isRead, isArchived, workingDirectory } = summary;
  return [
    resource,
    provider,
    searchable(title),
    modifiedAt,
    status,
    Number(isRead),
    Number(isArchived),
    workingDirectory ?? '',
    JSON.stringify(summary),
  ];
}
