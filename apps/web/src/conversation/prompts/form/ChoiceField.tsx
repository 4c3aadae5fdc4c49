import type { FormChoice, FormField } from '@agenthost/protocol';
import { useId, useState } from 'react';
import { InlineText } from '../../InlineText.js';

/** From so many on they can be searched. */
const MANY = 6;
/** The number keys. */
const KEYS = 9;

const YES_NO: readonly FormChoice[] = [
  { id: 'yes', label: 'Yes' },
  { id: 'no', label: 'No' },
];

type ChoiceLike = Extract<FormField, { kind: 'choice' | 'choices' | 'boolean' }>;

export function choicesOf(field: ChoiceLike): readonly FormChoice[] {
  return field.kind === 'boolean' ? YES_NO : field.choices;
}

interface ChoiceFieldProps {
  readonly field: ChoiceLike;
  readonly chosen: readonly string[];
  readonly disabled: boolean;
  readonly describedBy: string | undefined;
  readonly onChoose: (id: string) => void;
}

/** Radio buttons or checkboxes; over six of them with a search. The number keys choose those that are shown. */
export function ChoiceField({ field, chosen, disabled, describedBy, onChoose }: ChoiceFieldProps) {
  const name = useId();
  const [search, setSearch] = useState('');
  const all = choicesOf(field);
  const words = search.trim().toLowerCase();
  const shown = all.filter(
    ({ label, description = '' }) => words === '' || `${label}\n${description}`.toLowerCase().includes(words),
  );
  return (
    <>
      {all.length > MANY && (
        <input
          type="search"
          className="inp"
          value={search}
          placeholder={`Search ${all.length} choices`}
          aria-label={`Search: ${field.label}`}
          disabled={disabled}
          onChange={(event) => setSearch(event.target.value)}
        />
      )}
      <div className={all.length > MANY ? 'rads many' : 'rads'}>
        {shown.map(({ id, label, description }, index) => (
          <label key={id} className="rad">
            <input
              type={field.kind === 'choices' ? 'checkbox' : 'radio'}
              name={name}
              checked={chosen.includes(id)}
              disabled={disabled}
              aria-describedby={describedBy}
              data-choice={index + 1}
              onChange={() => onChoose(id)}
            />
            <span className="rt">
              <b>{label}</b>
              {index < KEYS && <kbd aria-hidden="true">{index + 1}</kbd>}
            </span>
            {description && (
              <small>
                <InlineText text={description} />
              </small>
            )}
          </label>
        ))}
        {shown.length === 0 && <p className="why">No choice has these words.</p>}
      </div>
    </>
  );
}
