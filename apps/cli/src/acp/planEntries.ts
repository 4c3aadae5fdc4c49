import type { PlanEntry } from '@agentclientprotocol/sdk';

const MAX_ENTRIES = 200;
const ENTRY = /^\s*(?:[-*+]|\d+[.)])\s+\[([ xX~-])\]\s+(.*)$/;
const RUNNING = / \(in progress\)$/;

/** A plan in markdown as the steps that an editor shows. Without a checklist, each of its lines is one. */
export function planEntries(markdown: string): PlanEntry[] {
  const lines = markdown.split('\n').filter((line) => line.trim() !== '');
  const steps = lines.flatMap((line) => {
    const [, mark, text] = ENTRY.exec(line) ?? [];
    return mark === undefined || text === undefined ? [] : [{ mark, text }];
  });
  if (steps.length > 0) return steps.slice(0, MAX_ENTRIES).map(({ mark, text }) => entry(text, statusOf(mark, text)));
  return lines.slice(0, MAX_ENTRIES).map((line) => entry(line.replace(/^#+\s+/, ''), 'pending'));
}

function statusOf(mark: string, text: string): PlanEntry['status'] {
  if (/[xX]/.test(mark)) return 'completed';
  return mark !== ' ' || RUNNING.test(text) ? 'in_progress' : 'pending';
}

function entry(text: string, status: PlanEntry['status']): PlanEntry {
  return { content: text.replace(RUNNING, ''), priority: 'medium', status };
}
