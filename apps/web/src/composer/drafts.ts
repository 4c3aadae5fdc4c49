import { type Draft, EMPTY_DRAFT } from './Composer.js';

const KEY = 'agenthost.drafts';
const MOST = 50;
/** Attachments of a draft are kept as long as they fit; its text always is. */
const LARGEST = 1_000_000;

/** What was written and not sent, by session. Survives a reload; the oldest go first. */
export function loadDraft(session: string): Draft {
  return readAll().find(([name]) => name === session)?.[1] ?? EMPTY_DRAFT;
}

export function saveDraft(session: string, draft: Draft): void {
  const others = readAll().filter(([name]) => name !== session);
  const isEmpty = draft.text === '' && draft.attachments.length === 0;
  const fits = JSON.stringify(draft).length <= LARGEST;
  const kept: [string, Draft][] = isEmpty ? others : [...others, [session, fits ? draft : { ...draft, attachments: [] }]];
  write(kept.slice(-MOST));
}

function readAll(): [string, Draft][] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(stored) ? (stored as [string, Draft][]) : [];
  } catch {
    return [];
  }
}

function write(drafts: [string, Draft][]): void {
  for (let kept = drafts; ; kept = kept.slice(1)) {
    try {
      localStorage.setItem(KEY, JSON.stringify(kept));
      return;
    } catch {
      // Full. The oldest one makes room; with none left there is nothing to be done here.
      if (kept.length === 0) return;
    }
  }
}
