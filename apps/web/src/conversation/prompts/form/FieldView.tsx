import type { FormField, FormValue } from '@agenthost/protocol';
import { useId } from 'react';
import { InlineText } from '../../InlineText.js';
import { ChoiceField } from './ChoiceField.js';

interface FieldViewProps {
  readonly field: FormField;
  readonly value: FormValue | undefined;
  readonly problem: string | undefined;
  readonly disabled: boolean;
  readonly maxLength: number | undefined;
  readonly onChange: (value: FormValue | undefined) => void;
}

/** One field of a form: its label, the control for its kind, and what is wrong with its value. */
export function FieldView({ field, value, problem, disabled, maxLength, onChange }: FieldViewProps) {
  const id = useId();
  const notes = [field.description && `${id}-about`, problem && `${id}-problem`].filter(Boolean).join(' ') || undefined;
  const label = (
    <>
      <InlineText text={field.label} />
      {field.optional && <span className="req"> optional</span>}
    </>
  );
  const about = (
    <>
      {field.description && (
        <p className="why" id={`${id}-about`}>
          <InlineText text={field.description} />
        </p>
      )}
    </>
  );
  const wrong = problem && (
    <p className="why bad" id={`${id}-problem`} role="alert">
      {problem}
    </p>
  );
  if (field.kind === 'choice' || field.kind === 'choices' || field.kind === 'boolean') {
    return (
      <fieldset className="fq" data-field={field.id} aria-describedby={notes}>
        <legend>{label}</legend>
        {about}
        <ChoiceField
          field={field}
          chosen={chosenIn(field, value)}
          disabled={disabled}
          describedBy={problem && `${id}-problem`}
          onChoose={(choice) => onChange(chosenNext(field, value, choice))}
        />
        {wrong}
      </fieldset>
    );
  }
  return (
    <div className="fq" data-field={field.id}>
      <label htmlFor={id}>{label}</label>
      {about}
      <input
        id={id}
        className="inp"
        {...inputOf(field)}
        value={field.kind === 'number' ? undefined : String(value ?? '')}
        defaultValue={field.kind === 'number' ? String(value ?? '') : undefined}
        maxLength={maxLength}
        disabled={disabled}
        aria-describedby={notes}
        aria-invalid={problem !== undefined}
        onChange={({ target }) => onChange(typedValue(field, target.value))}
      />
      {wrong}
    </div>
  );
}

function chosenIn({ kind }: FormField, value: FormValue | undefined): readonly string[] {
  if (kind === 'boolean') return value === undefined ? [] : [value === true ? 'yes' : 'no'];
  return Array.isArray(value) ? value : value === undefined ? [] : [String(value)];
}

function chosenNext(field: FormField, value: FormValue | undefined, choice: string): FormValue {
  if (field.kind === 'boolean') return choice === 'yes';
  if (field.kind !== 'choices') return choice;
  const chosen = chosenIn(field, value);
  return chosen.includes(choice) ? chosen.filter((one) => one !== choice) : [...chosen, choice];
}

/** A number that is not one is kept as it was typed: the form says what is wrong with it. */
function typedValue({ kind }: FormField, text: string): FormValue | undefined {
  if (text === '') return undefined;
  return kind === 'number' && Number.isFinite(Number(text)) ? Number(text) : text;
}

function inputOf(field: FormField): { type: string; inputMode?: 'decimal' | 'numeric'; autoComplete: string } {
  if (field.kind === 'secret') return { type: 'password', autoComplete: 'off' };
  if (field.kind === 'number') {
    return { type: 'text', inputMode: field.integer ? 'numeric' : 'decimal', autoComplete: 'off' };
  }
  if (field.kind === 'text' && field.format === 'date') return { type: 'date', autoComplete: 'off' };
  return { type: 'text', autoComplete: 'off' };
}
