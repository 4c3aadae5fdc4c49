import { dropOldest } from '@agenthost/protocol/internal';
import type { AgentEvent } from '../../agent.js';
import { oneLine } from '../../events/boundedText.js';
import type { SessionUpdate } from '../updateSchemas.js';
import { blockText } from './contentBlocks.js';

type Update = Extract<SessionUpdate, { sessionUpdate: 'compaction_update' | 'compaction_summary_chunk' }>;

interface Compaction {
  summary: string;
  /** Set when its end was reported; agents may report it twice. */
  isTold: boolean;
  isKept: boolean;
}

/** The maximum length of a summary in code units; the rest is cut. */
const MAX_SUMMARY = 200_000;
const MAX_TITLE = 80;
/** How many compactions are remembered; the oldest are dropped first. */
const MAX_COMPACTIONS = 32;

/** Turns an agent's reports about compacting its context into events. There is one per session: a compaction may end between turns. */
export class Compactions {
  readonly #displayName: string;
  readonly #known = new Map<string, Compaction>();

  constructor(displayName: string) {
    this.#displayName = displayName;
  }

  take(update: Update): AgentEvent[] {
    const compaction = this.#of(update.compactionId);
    if (update.sessionUpdate === 'compaction_summary_chunk') {
      add(compaction, blockText(update.content));
      return [];
    }
    if (update.summary) {
      compaction.summary = '';
      for (const block of update.summary) add(compaction, blockText(block));
    }
    switch (update.status) {
      case 'in_progress':
        return [{ type: 'activity', activity: 'Summarizing the conversation' }];
      case 'completed':
        return this.#completed(compaction);
      case 'failed':
        return this.#failed(compaction, update.error);
      default:
        return [{ type: 'activity' }];
    }
  }

  /** The summary may come in a second update with the same status. */
  #completed(compaction: Compaction): AgentEvent[] {
    const markdown = compaction.summary.trim();
    const { isTold, isKept } = compaction;
    const isNew = markdown !== '' && !isKept;
    compaction.isTold = true;
    compaction.isKept ||= isNew;
    const rest = isNew ? 'The summary is kept as a checkpoint of this session.' : 'It does not show the summary.';
    return [
      ...(isTold ? [] : [{ type: 'activity' } as const, this.#notice(rest)]),
      ...(isNew ? [{ type: 'checkpoint', title: titleOf(markdown), markdown: `${markdown}\n` } as const] : []),
    ];
  }

  #failed(compaction: Compaction, error: string | undefined): AgentEvent[] {
    if (compaction.isTold) return [];
    compaction.isTold = true;
    const why = error ? `: ${error}` : '.';
    const text = `${this.#displayName} could not summarize the conversation so far${why}`;
    return [{ type: 'activity' }, { type: 'notice', severity: 'warning', text }];
  }

  #notice(rest: string): AgentEvent {
    const text = `${this.#displayName} has summarized the conversation so far to make room. ${rest}`;
    return { type: 'notice', severity: 'info', text };
  }

  #of(id: string): Compaction {
    const known = this.#known.get(id);
    if (known) return known;
    dropOldest(this.#known, MAX_COMPACTIONS - 1);
    const compaction = { summary: '', isTold: false, isKept: false };
    this.#known.set(id, compaction);
    return compaction;
  }
}

function add(compaction: Compaction, text: string): void {
  compaction.summary += text.slice(0, MAX_SUMMARY - compaction.summary.length);
}

/** The summary's heading, if it begins with one. */
function titleOf(markdown: string): string {
  const heading = /^#{1,6}\s+(.*\S)/.exec(markdown)?.[1];
  return oneLine(heading ?? '', MAX_TITLE) || 'Summary of the conversation';
}
