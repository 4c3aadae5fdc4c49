import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import { safeLine } from '../../text/safeText.js';
import { fieldChoices, fieldLabel, shownValue } from '../../turn/formText.js';
import { type FormDialog, isChosen } from '../formKeys.js';
import { Composer } from './Composer.js';

/** Choices around the cursor that are on the screen at the same time. */
const SHOWN = 9;

/** One field of the form, and where it stands among the others. */
export function FormPanel({
  dialog,
  columns,
}: {
  readonly dialog: FormDialog;
  readonly columns: number;
}): ReactElement {
  const { form, at, choice, values, problem, prompt, edit } = dialog;
  const field = form.fields[at];
  if (!field) return <Text> </Text>;
  const choices = fieldChoices(field);
  const from = Math.max(0, Math.min(choice - Math.floor(SHOWN / 2), choices.length - SHOWN));
  const marks = field.kind === 'choices' ? ['[x]', '[ ]'] : ['(•)', '( )'];
  const isLast = at === form.fields.length - 1;
  const keys = choices.length > 0 ? '↑ ↓ 1–9 choose · Space marks · ' : '';
  return (
    <Box flexDirection="column">
      <Text color="yellow" wrap="truncate">
        {safeLine(prompt.request.title)} ({at + 1} of {form.fields.length})
      </Text>
      <Text bold>{fieldLabel(field)}</Text>
      {field.description ? <Text dimColor>{safeLine(field.description)}</Text> : null}
      {choices.slice(from, from + SHOWN).map(({ id, label }, index) => (
        <Text key={id} inverse={from + index === choice} wrap="truncate">
          {isChosen(field, values, id) ? marks[0] : marks[1]} {from + index + 1} {label}
        </Text>
      ))}
      {field.kind === 'secret' ? <Text>› {shownValue(field, edit.text)}</Text> : null}
      {choices.length === 0 && field.kind !== 'secret' ? (
        <Composer edit={edit} columns={columns} isFocused placeholder="" />
      ) : null}
      {problem ? <Text color="red">{problem}</Text> : null}
      <Text dimColor>
        {keys}⏎ {isLast ? 'answers' : 'next'} · Tab next · Shift+Tab back · Esc closes, and keeps what you filled in
      </Text>
    </Box>
  );
}
