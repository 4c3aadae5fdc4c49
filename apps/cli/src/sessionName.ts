import type { HostClient } from '@agenthost/client';
import { MAX_LIST_LIMIT, parseSessionUri, type SessionSummary, type URI } from '@agenthost/protocol';
import { CommandError, EXIT, usageError } from './commandError.js';
import { safeLine } from './text/safeText.js';

const MIN_PREFIX = 4;
/** How many sessions are searched for the one with that id. */
const MAX_SEARCHED = 20_000;
const MAX_CANDIDATES = 5;

/** The session that a user means: by its URI, its id, the beginning of its id, or `last`. */
export async function findSession(host: HostClient, name: string | undefined): Promise<URI> {
  if (name === undefined) throw usageError('A session is missing.', 'Name one as agenthost ls does, or say last.');
  if (parseSessionUri(name)) return name;
  if (name === 'last') return lastSession(host);
  if (!/^[\w.-]+$/.test(name) || name.length < MIN_PREFIX) {
    throw usageError(
      `${JSON.stringify(name)} is not a session.`,
      `Give its URI, its id, at least ${MIN_PREFIX} characters of its id, or last.`,
    );
  }
  const matches = await withPrefix(host, name);
  const exact = matches.find(({ resource }) => idOf(resource) === name);
  const [only, ...others] = exact ? [exact] : matches;
  if (!only) throw notFound(name);
  if (others.length === 0) return only.resource;
  const shown = matches
    .slice(0, MAX_CANDIDATES)
    .map(({ resource, title }) => `${idOf(resource)} ${safeLine(title)}`.trim());
  throw new CommandError(
    EXIT.usage,
    `${matches.length} sessions begin with ${name}: ${shown.join('; ')}${matches.length > shown.length ? '; …' : ''}`,
    'Give more of the id.',
  );
}

export function idOf(uri: URI): string {
  return parseSessionUri(uri)?.sessionId ?? uri;
}

async function lastSession(host: HostClient): Promise<URI> {
  const { items } = await host.listSessions({ filter: { isArchived: false }, limit: 1 });
  if (items[0]) return items[0].resource;
  throw new CommandError(
    EXIT.notFound,
    'There is no session yet.',
    'Make one with agenthost new, or agenthost send --new.',
  );
}

async function withPrefix(host: HostClient, prefix: string): Promise<SessionSummary[]> {
  const found: SessionSummary[] = [];
  let cursor: string | undefined;
  for (let searched = 0; searched < MAX_SEARCHED; ) {
    const page = await host.listSessions({ limit: MAX_LIST_LIMIT, ...(cursor !== undefined && { cursor }) });
    found.push(...page.items.filter(({ resource }) => idOf(resource).startsWith(prefix)));
    searched += page.items.length;
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  return found;
}

function notFound(name: string): CommandError {
  return new CommandError(EXIT.notFound, `There is no session ${name}.`, 'List all sessions with agenthost ls --all.');
}
