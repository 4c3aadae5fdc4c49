/** What a reviewer marked in one session, on this device. */
export interface ReviewMarks {
  /** The id of the content that was viewed, by path. */
  readonly viewed: Readonly<Record<string, string>>;
  /** Keys of accepted hunks. */
  readonly accepted: readonly string[];
  /** The review was open before. */
  readonly isKnown: boolean;
}

export interface DraftComment {
  readonly path: string;
  readonly side: 'old' | 'new';
  readonly line: number;
  readonly endLine: number;
  readonly quote: string;
  readonly text: string;
  /** Of a comment that is changed. */
  readonly id?: string;
}

const MARKS = 'agenthost.review';
const DRAFTS = 'agenthost.reviewDrafts';
const LAYOUT = 'agenthost.reviewLayout';
const MAX_SESSIONS = 50;
const MAX_MARKS = 2_000;
const NONE: ReviewMarks = { viewed: {}, accepted: [], isKnown: false };

export function readMarks(session: string): ReviewMarks {
  const stored = read(MARKS)[session];
  if (typeof stored !== 'object' || stored === null) return NONE;
  const { viewed, accepted } = stored as Partial<ReviewMarks>;
  const texts = Object.entries(viewed ?? {}).filter(([, id]) => typeof id === 'string');
  const keys = Array.isArray(accepted) ? accepted.filter((key) => typeof key === 'string') : [];
  return { viewed: Object.fromEntries(texts), accepted: keys, isKnown: true };
}

export function keepMarks(session: string, { viewed, accepted }: ReviewMarks): void {
  const kept = Object.fromEntries(Object.entries(viewed).slice(-MAX_MARKS));
  write(MARKS, session, { viewed: kept, accepted: accepted.slice(-MAX_MARKS) });
}

/** What is being written; one at a time. */
export function readDraft(session: string): DraftComment | undefined {
  const stored = read(DRAFTS)[session] as Partial<DraftComment> | undefined;
  const { path, side, line, endLine, quote, text } = stored ?? {};
  const isWhole =
    typeof path === 'string' &&
    (side === 'old' || side === 'new') &&
    typeof line === 'number' &&
    typeof endLine === 'number' &&
    typeof quote === 'string' &&
    typeof text === 'string';
  return isWhole ? { path, side, line, endLine, quote, text, ...(stored?.id && { id: stored.id }) } : undefined;
}

export function keepDraft(session: string, draft: DraftComment | undefined): void {
  write(DRAFTS, session, draft);
}

export function readLayout(): 'sides' | 'unified' {
  try {
    return localStorage.getItem(LAYOUT) === 'unified' ? 'unified' : 'sides';
  } catch {
    return 'sides';
  }
}

export function keepLayout(layout: 'sides' | 'unified'): void {
  try {
    localStorage.setItem(LAYOUT, layout);
  } catch {
    // It is forgotten with the page then.
  }
}

function read(key: string): Readonly<Record<string, unknown>> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '{}');
    return typeof stored === 'object' && stored !== null ? (stored as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function write(key: string, session: string, value: unknown): void {
  const { [session]: _, ...others } = read(key);
  const entries = Object.entries(others);
  if (value !== undefined) entries.push([session, value]);
  try {
    localStorage.setItem(key, JSON.stringify(Object.fromEntries(entries.slice(-MAX_SESSIONS))));
  } catch {
    // It is forgotten with the page then.
  }
}
