import type { ActiveTurn, FormValues, PermissionRequest } from '@agenthost/protocol';
import { ownValue } from '@agenthost/protocol/internal';
import type { AhpInputRequest, AhpQuestion } from '../types.js';
import { formAnswerOf, formRequestOf } from './formQuestions.js';
import { isRecord, textOf, textsOf } from './json.js';

/** Each of our questions is one request with one question. */
const QUESTION_ID = 'answer';
const ALLOW = { id: 'allow', label: 'Allow' } as const;
const DENY = { id: 'deny', label: 'Deny' } as const;
const OK = { id: 'ok', label: 'OK' } as const;

/** The question that a running call waits for. Further ones of the same call are asked separately. */
export function questionOfCall(turn: ActiveTurn, toolCallId: string): PermissionRequest | undefined {
  if (ownValue(turn.toolCalls, toolCallId)?.status !== 'running') return undefined;
  return Object.values(turn.pendingPermissions).find((request) => request.toolCallId === toolCallId);
}

/** The questions that are asked as such. */
export function openQuestions(turn: ActiveTurn): readonly PermissionRequest[] {
  return Object.values(turn.pendingPermissions).filter(
    (request) => request.toolCallId === undefined || questionOfCall(turn, request.toolCallId) !== request,
  );
}

export function inputRequestOf(request: PermissionRequest): AhpInputRequest {
  if (request.form) return formRequestOf(request, request.form);
  return { id: request.requestId, message: request.title, questions: [questionOf(request)] };
}

function questionOf({ kind, title, message, options, allowText }: PermissionRequest): AhpQuestion {
  const base = { id: QUESTION_ID, title, message: message || title, required: true } as const;
  if (!options && allowText) return { ...base, kind: 'text' };
  const choices = options ?? (kind === 'permission' ? [ALLOW, DENY] : [OK]);
  return {
    ...base,
    kind: 'single-select',
    options: choices.map(({ id, label, ...rest }) => ({
      id,
      label,
      ...('description' in rest && rest.description !== undefined && { description: rest.description }),
    })),
    ...(allowText && { allowFreeformInput: true }),
  };
}

export interface Answer {
  readonly approved: boolean;
  readonly optionId?: string;
  readonly text?: string;
  readonly values?: FormValues;
}

/** The answer to our question. An unknown choice is passed on: the host refuses it. */
export function answerOf(request: PermissionRequest, response: unknown, answers: unknown): Answer {
  if (request.form) return formAnswerOf(request.form, response, answers);
  if (response !== 'accept') return { approved: false };
  const { selected, text } = valueIn(answers);
  const option = request.options?.find(({ id }) => id === selected);
  const isOwnChoice = !request.options && [ALLOW, DENY, OK].some(({ id }) => id === selected);
  const denies = option ? option.kind === 'deny' : isOwnChoice && selected === DENY.id;
  return {
    approved: !denies,
    ...(selected !== undefined && !isOwnChoice && { optionId: selected }),
    ...(text !== undefined && { text }),
  };
}

function valueIn(answers: unknown): { selected?: string; text?: string } {
  const answer = isRecord(answers) ? answers[QUESTION_ID] : undefined;
  const value = isRecord(answer) ? answer['value'] : undefined;
  if (!isRecord(value)) return {};
  const given = textOf(value['value']);
  if (value['kind'] === 'text') return given === undefined ? {} : { text: given };
  const typed = textsOf(value['freeformValues'])?.join('\n');
  return { ...(given && { selected: given }), ...(typed && { text: typed }) };
}
