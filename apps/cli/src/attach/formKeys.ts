import type { PendingPermission } from '@agenthost/client';
import type { Form, FormField, FormValues } from '@agenthost/protocol';
import { fieldProblem, formDefaults } from '@agenthost/protocol/internal';
import type { Key } from 'ink';
import { fieldChoices, typedValue } from '../turn/formText.js';
import type { AttachModel } from './attachModel.js';
import { editKey } from './editKeys.js';
import { editOf, NOTHING, type TextEdit } from './textEdit.js';

/** A form that is being filled in, field by field. */
export interface FormDialog {
  readonly kind: 'form';
  readonly prompt: PendingPermission;
  readonly form: Form;
  /** The field on the screen. */
  readonly at: number;
  /** The choice under the cursor. */
  readonly choice: number;
  readonly edit: TextEdit;
  readonly values: FormValues;
  /** What is wrong with the field on the screen. */
  readonly problem?: string;
}

/** What was filled in stays while the question is open, also if the form is closed. */
const drafts = new WeakMap<PendingPermission, FormValues>();

export function openForm(model: AttachModel, prompt: PendingPermission): void {
  const { form } = prompt.request;
  if (!form) return;
  const values = drafts.get(prompt) ?? formDefaults(form);
  model.update({ dialog: atField({ kind: 'form', prompt, form, values, at: 0, choice: 0, edit: NOTHING }, 0) });
}

function atField({ problem: _, ...dialog }: FormDialog, at: number, problem?: string): FormDialog {
  const field = dialog.form.fields[at];
  const value = field && dialog.values[field.id];
  const chosen = field ? fieldChoices(field).findIndex(({ id }) => isChosen(field, dialog.values, id)) : -1;
  const text = value === undefined || Array.isArray(value) ? '' : String(value);
  return { ...dialog, at, choice: Math.max(chosen, 0), edit: editOf(text), ...(problem !== undefined && { problem }) };
}

export function isChosen(field: FormField, values: FormValues, choice: string): boolean {
  const value = values[field.id];
  if (field.kind === 'boolean') return value === (choice === 'yes') && value !== undefined;
  return Array.isArray(value) ? value.includes(choice) : value === choice;
}

/** ↑ ↓ and the numbers choose, Space marks, Enter and Tab go on, Enter at the last field answers. */
export function formKey(model: AttachModel, dialog: FormDialog, input: string, key: Key) {
  const field = dialog.form.fields[dialog.at];
  if (!field) return model.clear('dialog');
  if (key.return || key.tab) return leaveField(model, dialog, field, key);
  const choices = fieldChoices(field);
  if (choices.length === 0) {
    const edit = editKey(dialog.edit, input, key);
    if (!edit) return;
    return show(model, withFormEdit(dialog, edit));
  }
  if (key.upArrow || key.downArrow) {
    const step = key.upArrow ? choices.length - 1 : 1;
    return show(model, { ...dialog, choice: (dialog.choice + step) % choices.length });
  }
  const at = /^[1-9]$/.test(input) ? Number(input) - 1 : input === ' ' ? dialog.choice : -1;
  if (choices[at]) show(model, choose({ ...dialog, choice: at }, field));
}

/** The field on the screen with another text, typed or pasted. */
export function withFormEdit(dialog: FormDialog, edit: TextEdit): FormDialog {
  const field = dialog.form.fields[dialog.at];
  if (!field || fieldChoices(field).length > 0) return dialog;
  return withValue({ ...dialog, edit }, field, typedValue(field, edit.text));
}

function choose(dialog: FormDialog, field: FormField): FormDialog {
  const id = fieldChoices(field)[dialog.choice]?.id;
  if (id === undefined) return dialog;
  if (field.kind === 'boolean') return withValue(dialog, field, id === 'yes');
  if (field.kind !== 'choices') return withValue(dialog, field, id);
  const value = dialog.values[field.id];
  const chosen = Array.isArray(value) ? value : [];
  const next = chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id];
  return withValue(dialog, field, next.length === 0 ? undefined : next);
}

function withValue(
  { problem: _, ...dialog }: FormDialog,
  { id }: FormField,
  value: FormValues[string] | undefined,
): FormDialog {
  const { [id]: _before, ...others } = dialog.values;
  return { ...dialog, values: value === undefined ? others : { ...others, [id]: value } };
}

function leaveField(model: AttachModel, left: FormDialog, field: FormField, key: Key) {
  const isSingle = field.kind === 'choice' || field.kind === 'boolean';
  const isUnanswered = left.values[field.id] === undefined && field.optional !== true;
  // Enter takes the choice under the cursor where one is needed.
  const dialog = key.return && isSingle && isUnanswered ? choose(left, field) : left;
  const last = dialog.form.fields.length - 1;
  if (key.tab && key.shift) return show(model, atField(dialog, Math.max(dialog.at - 1, 0)));
  const problem = fieldProblem(field, dialog.values[field.id]);
  if (problem !== undefined && key.return) return show(model, { ...dialog, problem });
  if (dialog.at < last || !key.return) return show(model, atField(dialog, Math.min(dialog.at + 1, last)));
  const wrong = dialog.form.fields.findIndex((one) => fieldProblem(one, dialog.values[one.id]) !== undefined);
  const first = dialog.form.fields[wrong];
  if (first) return show(model, atField(dialog, wrong, fieldProblem(first, dialog.values[first.id])));
  send(model, dialog);
}

function send(model: AttachModel, { prompt, values }: FormDialog) {
  drafts.set(prompt, values);
  model.clear('dialog');
  if (!model.chat?.permissions.value.includes(prompt)) return model.notify('Another client has answered meanwhile.');
  model.update({ focus: 'composer' });
  model.attempt(prompt.fill(values));
}

function show(model: AttachModel, dialog: FormDialog): void {
  drafts.set(dialog.prompt, dialog.values);
  model.update({ dialog });
}
