import type { Form, FormField, FormValue, FormValues, PermissionRequest } from '@agenthost/protocol';
import type { AhpInputRequest, AhpQuestion } from '../types.js';
import { isRecord, textOf, textsOf } from './json.js';

/** The question instead of a form with a secret: AHP has no field for one, and shows drafts of answers to everybody. */
const LEAVE = 'leave';

export interface FormAnswer {
  readonly approved: boolean;
  readonly values?: FormValues;
}

/** A question for each field. */
export function formRequestOf({ requestId, title, message }: PermissionRequest, form: Form): AhpInputRequest {
  const text = message === '' ? title : `${title}\n\n${message}`;
  if (!canBeShown(form)) {
    const note = 'It asks for a secret, which can only be given in Agent Sessions or with `agenthost attach`.';
    const skip = { id: LEAVE, label: 'Skip', description: 'The agent decides.' };
    const question = {
      id: LEAVE,
      title,
      message: note,
      required: true,
      kind: 'single-select',
      options: [skip],
    } as const;
    return { id: requestId, message: text, questions: [question] };
  }
  return { id: requestId, message: text, questions: shownFields(form).map(questionOf) };
}

function canBeShown({ fields }: Form): boolean {
  return fields.every(({ kind, optional }) => kind !== 'secret' || optional === true);
}

function shownFields({ fields }: Form): readonly FormField[] {
  return fields.filter(({ kind }) => kind !== 'secret');
}

function questionOf(field: FormField): AhpQuestion {
  const { id, label, description, optional } = field;
  const about = description === undefined ? {} : { title: label };
  const base = { id, ...about, message: description ?? label, ...(!optional && { required: true as const }) };
  switch (field.kind) {
    case 'choice':
      return { ...base, kind: 'single-select', options: field.choices };
    case 'choices':
      return { ...base, kind: 'multi-select', options: field.choices, ...bounds(field.min, field.max) };
    case 'boolean':
      return { ...base, kind: 'boolean', ...defaultOf(field.default) };
    case 'number': {
      const kind = field.integer ? 'integer' : 'number';
      return { ...base, kind, ...bounds(field.min, field.max), ...defaultOf(field.default) };
    }
    case 'text':
    case 'secret':
      return { ...base, kind: 'text', ...('default' in field && defaultOf(field.default)) };
  }
}

function bounds(min: number | undefined, max: number | undefined): Pick<AhpQuestion, 'min' | 'max'> {
  return { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
}

function defaultOf(value: string | number | boolean | undefined): Pick<AhpQuestion, 'defaultValue'> {
  return value === undefined ? {} : { defaultValue: value };
}

/** Nothing answered means that it is skipped. A value that does not fit is passed on: the host refuses it. */
export function formAnswerOf(form: Form, response: unknown, answers: unknown): FormAnswer {
  if (response !== 'accept') return { approved: false };
  const given = isRecord(answers) && canBeShown(form) ? answers : {};
  const values = shownFields(form).flatMap((field) => {
    const value = Object.hasOwn(given, field.id) ? valueIn(field, given[field.id]) : undefined;
    return value === undefined ? [] : [[field.id, value] as const];
  });
  return { approved: true, ...(values.length > 0 && { values: Object.fromEntries(values) }) };
}

function valueIn(field: FormField, answer: unknown): FormValue | undefined {
  const value = isRecord(answer) && isRecord(answer['value']) ? answer['value']['value'] : undefined;
  if (field.kind === 'choices') return textsOf(value);
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  return textOf(value) || undefined;
}
