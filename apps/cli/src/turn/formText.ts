import type { FormField, FormValue, FormValues } from '@agenthost/protocol';
import { formAnswerText } from '@agenthost/protocol/internal';
import { safeLine } from '../text/safeText.js';

const DOTS = '•';

/** The label of a field, with what is optional about it. */
export function fieldLabel({ label, optional }: FormField): string {
  return `${safeLine(label)}${optional ? ' (optional)' : ''}`;
}

/** The choices of a field; none for what is typed. */
export function fieldChoices(field: FormField): readonly { readonly id: string; readonly label: string }[] {
  if (field.kind === 'boolean') {
    return [
      { id: 'yes', label: 'Yes' },
      { id: 'no', label: 'No' },
    ];
  }
  if (field.kind !== 'choice' && field.kind !== 'choices') return [];
  return field.choices.map(({ id, label, description }) => ({
    id,
    label: safeLine(description ? `${label} (${description})` : label),
  }));
}

/** What a typed line means for the field: numbers for choices; `undefined` for an empty one. */
export function typedValue(field: FormField, line: string): FormValue | undefined {
  const text = field.kind === 'secret' ? line : line.trim();
  if (text === '') return undefined;
  const choices = fieldChoices(field);
  const idOf = (word: string) => {
    const named = choices.find(({ label }) => label.toLowerCase() === word.toLowerCase());
    return (/^\d{1,3}$/.test(word) ? choices[Number(word) - 1]?.id : undefined) ?? named?.id ?? word;
  };
  if (field.kind === 'boolean') {
    const id = { y: 'yes', n: 'no' }[text.toLowerCase()] ?? idOf(text);
    return id === 'yes' ? true : id === 'no' ? false : text;
  }
  if (field.kind === 'choice') return idOf(text);
  if (field.kind === 'choices') return [...new Set(text.split(/[\s,]+/).map(idOf))];
  return field.kind === 'number' && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** A value as it is shown: of a secret only that there is one. */
export function shownValue(field: FormField, value: FormValue | undefined): string {
  if (value === undefined) return '';
  if (field.kind === 'secret') return DOTS.repeat(Math.min(String(value).length, 20));
  if (field.kind === 'boolean') return value === true ? 'Yes' : 'No';
  const values: FormValues = { [field.id]: value };
  return field.kind === 'number'
    ? String(value)
    : safeLine(formAnswerText({ fields: [field] }, { values, secrets: {} }));
}
