import { setTimeout as delay } from 'node:timers/promises';
import { text, update } from './conversation.ts';

let count = 0;
const block = (words: string) => ({ type: 'text', text: words });

/** `compact SUMMARY`: as agents do it that stream the summary, and say twice that they are done. */
export async function compact(summary: string): Promise<void> {
  const compactionId = `compaction-${++count}`;
  update('compaction_update', { compactionId, status: 'in_progress' });
  await delay(5);
  const half = Math.floor(summary.length / 2);
  for (const words of summary === '' ? [] : [summary.slice(0, half), summary.slice(half)]) {
    update('compaction_summary_chunk', { compactionId, content: block(words) });
  }
  for (const _ of [1, 2]) update('compaction_update', { compactionId, status: 'completed' });
}

/** A compaction of an earlier process, as the history has it. */
export function compactedBefore(summary: string): void {
  update('compaction_update', { compactionId: 'earlier', status: 'completed', summary: [block(summary)] });
}

/** Long enough for the host to have seen the end of the turn, also on a busy machine: nothing tells an agent that it has. */
const AFTER_TURN_MS = 1_000;

/** The turn is over when the summary is there. */
export function compactLater(summary: string): void {
  const compactionId = `compaction-${++count}`;
  update('compaction_update', { compactionId, status: 'in_progress' });
  text('Soon.');
  setTimeout(() => {
    update('compaction_update', { compactionId, status: 'completed', summary: [block(summary)] });
    update('session_info_update', { title: 'compacted' });
  }, AFTER_TURN_MS);
}

export function compactOddly(): void {
  update('compaction_update', { compactionId: 7, status: 'completed' });
  update('compaction_update', { compactionId: 'a', status: 'failed', error: 'no model', summary: 'none' });
  update('compaction_update', { compactionId: 'b', status: 'completed' });
  update('compaction_update', { compactionId: 'b', status: 'completed', summary: [block('## Late'), { type: 5 }] });
  update('compaction_update', { compactionId: 'c', status: 'completed', summary: [block('# Told late')] });
  update('compaction_update', { compactionId: 'd', status: 'dreaming' });
  update('compaction_summary_chunk', { compactionId: 'e', content: block('x'.repeat(3_000_000)) });
  update('compaction_update', { compactionId: 'e', status: 'completed' });
}
