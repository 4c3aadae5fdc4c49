import type { Form, FormValue, FormValues } from '@agenthost/protocol';
import { fieldProblem, formDefaults } from '@agenthost/protocol/internal';
import { fieldChoices, fieldLabel, shownValue, typedValue } from './formText.js';
import type { TerminalQuestions } from './terminalQuestions.js';

export interface AskFormOptions {
  readonly questions: TerminalQuestions;
  /** Another client has answered. */
  readonly answered: AbortSignal;
  note(line: string): void;
}

/**
 * Asks for the fields of a form, one line each. `skip` and `decline` end it; an empty line takes the default, or leaves an optional
 * field out. `undefined` when nothing more can be read. What is typed is visible: don't ask for a form with a secret here.
 */
export async function askForm(
  form: Form,
  { questions, answered, note }: AskFormOptions,
): Promise<FormValues | 'skip' | 'decline' | undefined> {
  const defaults = formDefaults(form);
  const values: Record<string, FormValue> = {};
  note('  One line for each. "skip" lets the agent decide, "decline" gives no answer.');
  for (const field of form.fields) {
    const initial = defaults[field.id];
    for (const [at, { label }] of fieldChoices(field).entries()) note(`    ${at + 1} ${label}`);
    const usual = initial === undefined ? '' : ` [${shownValue(field, initial)}]`;
    for (;;) {
      const line = await questions.ask(`  ${fieldLabel(field)}${usual}: `, answered);
      if (line === undefined || answered.aborted) return undefined;
      const word = line.trim();
      if (word === 'skip' || word === 'decline') return word;
      const value = typedValue(field, line) ?? initial;
      const problem = fieldProblem(field, value);
      if (problem === undefined) {
        if (value !== undefined) values[field.id] = value;
        break;
      }
      note(`    ${problem}`);
    }
  }
  return values;
}
