import type { FormValue, PermissionRequest } from '@agenthost/protocol';
import { formDefaults, MAX_TITLE_LENGTH } from '@agenthost/protocol/internal';
import type { Decision } from '../agent.js';
import { oneLine } from './boundedText.js';
import { schemaForm } from './schemaForm.js';

export interface AskedSchema {
  readonly agentName: string;
  readonly message: string;
  /** A JSON Schema; `undefined` if the agent asks for something else than a form. */
  readonly schema: unknown;
}

/** As agents and MCP servers know it. */
export type FormResult =
  | { readonly action: 'accept'; readonly content: Record<string, FormValue> }
  | { readonly action: 'decline' };

export interface FormQuestion {
  readonly request: Omit<PermissionRequest, 'requestId'>;
  result(decision: Decision): FormResult;
}

/** The question that a schema asks, or why it can't be asked. */
export function formQuestion({ agentName, message, schema }: AskedSchema): FormQuestion | { readonly refused: string } {
  const asked = oneLine(message, 200) || 'something';
  const wanted = schema === undefined ? { problem: 'it is no form' } : schemaForm(schema);
  if ('problem' in wanted) {
    return {
      refused: `${agentName} asked a question that can't be shown, so it was declined: ${wanted.problem}. It asked: ${asked}`,
    };
  }
  const { form, leftOut, mayBeEmpty, content } = wanted;
  const [title = '', ...rest] = message.trim().split('\n');
  const note = leftOut.length === 0 ? [] : [`Not shown here: ${oneLine(leftOut.join(', '), MAX_TITLE_LENGTH)}.`];
  const isShort = title.length <= MAX_TITLE_LENGTH;
  return {
    request: {
      kind: 'question',
      title: oneLine(title, MAX_TITLE_LENGTH) || `${agentName} asks`,
      message: [(isShort ? rest.join('\n') : message).trim(), ...note].filter((text) => text !== '').join('\n\n'),
      form,
    },
    result: ({ approved, values }) => {
      if (approved && values) return { action: 'accept', content: content(values) };
      // Skipped: what the agent proposed, where that is an answer.
      return approved && mayBeEmpty
        ? { action: 'accept', content: content(formDefaults(form)) }
        : { action: 'decline' };
    },
  };
}
