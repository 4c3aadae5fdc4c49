import { ActionRejectedError, type PermissionAnswer } from '@agenthost/client';
import type { Form, FormField, FormValue, FormValues, PermissionRequest } from '@agenthost/protocol';
import { type FieldProblem, fieldProblem, filledForm, formDefaults } from '@agenthost/protocol/internal';
import { useState } from 'react';
import { problemText } from '../../../app/problemText.js';

/** What was filled in, for as long as the question is open: a conversation that scrolls away is rendered anew. */
const filled = new WeakMap<PermissionRequest, FormValues>();

export interface FormState {
  readonly values: FormValues;
  readonly busy: boolean;
  /** The problem of one field, or of the whole answer without a field. */
  readonly problem: Partial<FieldProblem> | undefined;
  readonly isComplete: boolean;
  /** An empty text is no value. */
  set(field: FormField, value: FormValue | undefined): void;
  /** What `answer` would send. */
  answered(): PermissionAnswer;
  /** Resolves with the id of the field that does not fit, if there is one. */
  answer(): Promise<string | undefined>;
  send(answer: PermissionAnswer): Promise<string | undefined>;
}

export function useForm(
  request: PermissionRequest,
  form: Form,
  send: (answer: PermissionAnswer) => Promise<void>,
): FormState {
  const [values, setValues] = useState<FormValues>(() => filled.get(request) ?? formDefaults(form));
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<FormState['problem']>();
  const answered = (): PermissionAnswer => ({ approved: true, ...filledForm(form, values) });
  const sendIt = async (answer: PermissionAnswer) => {
    if (busy) return undefined;
    setBusy(true);
    setProblem(undefined);
    try {
      await send(answer);
      return undefined;
    } catch (error) {
      const field = error instanceof ActionRejectedError ? error.rejection.field : undefined;
      setProblem({ problem: problemText(error), ...(field !== undefined && { field }) });
      setBusy(false);
      return field;
    }
  };
  return {
    values,
    busy,
    problem,
    isComplete: form.fields.every((field) => isGiven(field, values)),
    set(field, value) {
      const { [field.id]: _, ...others } = values;
      const next = value === undefined || value === '' ? others : { ...others, [field.id]: value };
      filled.set(request, next);
      setValues(next);
      if (problem?.field === field.id) setProblem(undefined);
    },
    answered,
    async answer() {
      for (const field of form.fields) {
        const wrong = fieldProblem(field, values[field.id]);
        if (wrong === undefined) continue;
        setProblem({ field: field.id, problem: wrong });
        return field.id;
      }
      return sendIt(answered());
    },
    send: sendIt,
  };
}

function isGiven(field: FormField, values: FormValues): boolean {
  const value = values[field.id];
  if (value === undefined || (Array.isArray(value) && value.length === 0))
    return fieldProblem(field, undefined) === undefined;
  return true;
}
