import type { PromptAnswer } from '@agenthost/sessions';
import { MessageCircleReply, ShieldCheck, ShieldX } from 'lucide-react';
import { authorName } from '../authorName.js';
import { InlineText } from '../InlineText.js';
import { clock } from '../times.js';

interface AnsweredLineProps {
  readonly kind: 'permission' | 'question';
  readonly answer: PromptAnswer;
  /** The ids under which hosts know this browser. */
  readonly me: ReadonlySet<string>;
  /** The command was changed before it was allowed. */
  readonly isEdited?: boolean | undefined;
  /** The question, if nothing else shows it. */
  readonly title?: string;
}

/** "Allowed once by Mira, on iPhone": what remains of a question. */
export function AnsweredLine({ kind, answer, me, title, isEdited }: AnsweredLineProps) {
  const { name, device } = authorName(answer.by, me);
  const Icon = kind === 'question' ? MessageCircleReply : answer.approved ? ShieldCheck : ShieldX;
  if (answer.form) {
    return (
      <div className="line answered">
        <Icon size={16} aria-hidden />
        <span className="grow">
          <b>{answer.by ? upperFirst(name) : 'The agent'}</b>
          {answer.by && device} {formVerb(answer)}
          {title && (
            <small>
              <InlineText text={title} />
            </small>
          )}
        </span>
        <span className="aux num">{clock(answer.at)}</span>
      </div>
    );
  }
  const says = kind === 'question' || !answer.approved ? answer.text : undefined;
  return (
    <div className="line answered">
      <Icon size={16} aria-hidden />
      <span className="grow">
        {kind === 'permission' && isLasting(answer) ? (
          <span className="exit">Always allowed in this session</span>
        ) : (
          verb(kind, answer)
        )}{' '}
        {isEdited && 'with changes '}
        by <b>{name}</b>
        {device}
        {says && `: ${says}`}
        {title && (
          <small>
            <InlineText text={title} />
          </small>
        )}
      </span>
      <span className="aux num">{clock(answer.at)}</span>
    </div>
  );
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** "answered: Embedded form, Pay now". */
function formVerb({ form, text, by }: PromptAnswer): string {
  if (form === 'answered') return text ? `answered: ${text}` : 'answered';
  if (form === 'skipped') return 'skipped it: the agent decides';
  return by ? 'declined to answer' : 'took the question back';
}

function verb(kind: AnsweredLineProps['kind'], { approved }: PromptAnswer): string {
  if (kind === 'question') return 'Answered';
  return approved ? 'Allowed once' : 'Denied';
}

/** It also counts for later calls. */
function isLasting({ approved, optionId }: PromptAnswer): boolean {
  return approved && optionId !== undefined && /session|always/i.test(optionId);
}
