import { SessionComments, type SessionHandle } from '@agenthost/client';
import type { SessionState } from '@agenthost/protocol';
import { expect } from 'vitest';
import { describe, type Journal, markOf, type Operation } from './journal.js';
import type { ReviewStep } from './steps.js';

const PLACE = { path: 'a.ts', side: 'new', line: 1, quote: 'let a;' } as const;

interface Asked {
  readonly answered: Promise<unknown>;
  readonly mark?: string | undefined;
}

/** A step of a client that reviews. What needs a comment that isn't there does nothing. */
export function askReview(handle: SessionHandle, step: ReviewStep, nextMark: () => string): Asked | undefined {
  const comments = new SessionComments(handle);
  if (step.do === 'comment') {
    const mark = nextMark();
    return { mark, answered: comments.set({ id: `c-${mark}`, ...PLACE, text: `comment ${mark}` }) };
  }
  if (step.do === 'sendComments') {
    const ids = comments.open.slice(0, 2).map(({ id }) => id);
    return ids.length === 0 ? undefined : { answered: comments.send(ids) };
  }
  const comment = comments.all[step.pick % Math.max(comments.all.length, 1)];
  if (!comment) return undefined;
  const mark = markOf(comment.text);
  if (step.do === 'uncomment') return { mark, answered: comments.remove(comment.id) };
  return { mark, answered: comments.resolve(comment.id, step.value) };
}

/** Every comment that the host took is there once, and was sent in one message at most. */
export function checkComments(journal: Journal, operations: readonly Operation[], state: SessionState): void {
  const { turns, activeTurn, steeringMessage, queuedMessages = [], comments = [] } = state;
  const messages = [...turns, ...(activeTurn ? [activeTurn] : [])];
  const pending = [...(steeringMessage ? [steeringMessage] : []), ...queuedMessages];
  const texts = [...messages, ...pending].map(({ userMessage }) => userMessage.text);
  const isRemade = journal.mayBeRemade(state.summary.resource);
  for (const operation of operations.filter(({ kind }) => kind === 'comment')) {
    const { mark, outcome } = operation;
    const about = operations.filter((one) => one !== operation && one.mark === mark && one.outcome.state !== 'refused');
    const isRemoved = about.some(({ kind }) => kind === 'uncomment');
    const times = comments.filter(({ text }) => text === `comment ${mark}`).length;
    const must = outcome.state === 'accepted' && !isRemoved && !isRemade;
    expect(times, `${describe(operation)}: how often it is there`).toBeOneOf(must ? [1] : [0, 1]);
    // A message that was taken back or changed no longer has it, and it may be sent again.
    const sent = texts.filter((text) => text.includes(`comment ${mark}\n`) || text.endsWith(`comment ${mark}`)).length;
    expect(sent, `${describe(operation)}: how often it was sent`).toBeLessThanOrEqual(1);
  }
}
