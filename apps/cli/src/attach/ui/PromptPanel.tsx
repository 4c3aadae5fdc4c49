import { describeRole } from '@agenthost/protocol/internal';
import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import { formOf, type Prompt, promptChoices, takesText } from '../../turn/prompt.js';
import type { AttachModel } from '../attachModel.js';
import { keyFocus } from '../keyFocus.js';
import { type Line, lineOf } from '../lines/line.js';
import { wrapText } from '../lines/wrapText.js';
import { canEdit } from '../promptKeys.js';
import type { PromptView } from '../promptView.js';
import { Lines } from './Lines.js';

/** The agent's question, with the keys that answer it. Only these lines are tinted. */
export function promptLines(
  model: AttachModel,
  prompt: Prompt,
  columns: number,
  waiting: number,
  view: PromptView,
): Line[] {
  const isFocused = keyFocus(model) === 'prompt';
  const { title, lines, rows, top } = view;
  const fits = lines.length <= rows;
  const shown = fits ? lines : lines.slice(top, top + rows);
  const place = fits ? [] : [`    lines ${top + 1} to ${top + shown.length} of ${lines.length} · ↑ ↓ scroll`];
  const more = waiting > 1 ? ` (1 of ${waiting})` : '';
  const keys = promptChoices(prompt).map(({ key, label }) => `${key} ${label}`);
  const extra = [
    ...(canEdit(model, prompt) ? ['e Change it'] : []),
    ...(formOf(prompt) ? ['f Fill it in'] : []),
    ...(takesText(prompt) ? ['t Type an answer'] : []),
  ];
  const answers = isFocused ? [...keys, ...extra].join(' · ') : 'Tab, then a key, answers it';
  const hint = model.may('session/toolCallConfirmed') ? answers : describeRole(model.host.role);
  return [
    lineOf(`? ${title}${more}`, 'needs'),
    ...shown.map((line) => lineOf(line)),
    ...place.map((line) => lineOf(line, 'dim')),
    ...wrapText(`  ${hint}`, columns).map((line) => lineOf(line, isFocused ? 'needs' : 'dim')),
  ];
}

export function PromptPanel({ lines }: { readonly lines: readonly Line[] }): ReactElement | null {
  if (lines.length === 0) return null;
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Lines lines={lines} />
      <Text> </Text>
    </Box>
  );
}
