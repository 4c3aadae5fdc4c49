import { createHash } from 'node:crypto';
import { type Role, roleIncludes, type SessionState, showCommand } from '@agenthost/protocol';
import { MAX_PUSH_BYTES, type PushAnswer, type PushMessage, roleForAction } from '@agenthost/protocol/internal';
import { type Attention, type ClosedQuestion, type Question, questionKey } from './attention.js';

/** A longer text is not shown whole by most systems, so nothing can be allowed by it. In code units. */
const MAX_SHOWN = 240;
const MAX_TITLE = 120;
const MAX_NAME = 60;
/** Ours have about 50; what an agent's or a client's may have more can't be opened from a notification. */
const MAX_URI = 512;

type Summary = SessionState['summary'];

/** 32 characters of base64url, as RFC 8030 wants a topic: a later message replaces one that the push service still has. */
export function questionTag({ resource }: Summary, question: Question): string {
  return tagOf(`question\0${resource}\0${questionKey(question)}`);
}

export function endTag({ resource }: Summary): string {
  return tagOf(`end\0${resource}`);
}

/** With the answers that this role may give from a notification. */
export function questionMessage(summary: Summary, question: Question, role: Role): string {
  const { turnId, toolCallId, requestId, isWhole, takesYesOrNo, canBeAllowed, answer } = question;
  const text = shown(question.text);
  const may = (approved: boolean) => takesYesOrNo && roleIncludes(role, roleForAction(answer(approved)));
  const allow = isWhole && text.isWhole && canBeAllowed && may(true);
  const deny = may(false);
  const answered: PushAnswer = {
    turnId,
    ...(toolCallId !== undefined && { toolCallId }),
    ...(requestId !== undefined && { requestId }),
    ...(allow && { allow }),
    ...(deny && { deny }),
  };
  return fitting({
    kind: 'question',
    ...headOf(summary, questionTag(summary, question)),
    text: text.text,
    ...((allow || deny) && { answer: answered }),
  });
}

export function closedMessage(summary: Summary, question: ClosedQuestion): string {
  const { by } = question;
  return fitting({
    kind: 'closed',
    ...headOf(summary, questionTag(summary, question)),
    ...(by !== undefined && { by: cut(visible(by), MAX_NAME) }),
  });
}

export function endMessage(summary: Summary, { error, responseParts }: NonNullable<Attention['ended']>): string {
  const last = responseParts.findLast((part) => part.kind === 'markdown');
  const text = error ? `It stopped: ${error.message}` : (last?.content ?? 'It has finished.');
  return fitting({
    kind: 'finished',
    ...headOf(summary, endTag(summary)),
    text: shown(text.trim()).text,
  });
}

function headOf({ resource, title }: Summary, tag: string) {
  const shownTitle = cut(visible(title.slice(0, MAX_TITLE + 1)), MAX_TITLE);
  return { tag, title: shownTitle, ...(resource.length <= MAX_URI && { session: resource }) };
}

/** Ids may be long, and are of use only whole: a message that is too large can't be answered from its notification. */
function fitting(message: PushMessage): string {
  const whole = JSON.stringify(message);
  if (Buffer.byteLength(whole) <= MAX_PUSH_BYTES || message.kind !== 'question') return whole;
  const { answer: _, ...rest } = message;
  return JSON.stringify(rest);
}

function shown(text: string): { readonly text: string; readonly isWhole: boolean } {
  // Cut first: only the beginning is looked at, however long an agent's text is.
  const all = visible(text.slice(0, MAX_SHOWN + 1));
  const isWhole = text.length <= MAX_SHOWN && all.length <= MAX_SHOWN;
  return { text: isWhole ? all : cut(all, MAX_SHOWN), isWhole };
}

/** Every character can be seen, so that a command reads as it runs. */
function visible(text: string): string {
  return showCommand(text, (name) => `[${name}]`);
}

function cut(text: string, length: number): string {
  return text.length <= length
    ? text
    : `${text
        .slice(0, length - 1)
        .toWellFormed()
        .replace(/\ufffd$/, '')}…`;
}

function tagOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 32);
}
