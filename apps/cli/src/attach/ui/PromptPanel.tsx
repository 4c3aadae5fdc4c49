import { describeRole } from '@agenthost/protocol';
import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import { isInputCut, type Prompt, promptChoices, promptText, takesText } from '../../turn/prompt.js';
import type { AttachModel } from '../attachModel.js';
import { type Line, lineOf } from '../lines/line.js';
import { wrapText } from '../lines/wrapText.js';
import { canEdit } from '../promptKeys.js';
import { Lines } from './Lines.js';

const MAX_TEXT_LINES = 6;

/** What the agent asks, with the keys that answer it. Only these lines are tinted. */
export function promptLines(model: AttachModel, prompt: Prompt, columns: number, waiting: number): Line[] {
  const isFocused = model.ui.focus === 'prompt';
  const [title = '', ...rest] = wrapText(promptText(prompt), columns - 2);
  const shown = rest.length > MAX_TEXT_LINES ? [...rest.slice(0, MAX_TEXT_LINES - 1), '    …'] : rest;
  const more = waiting > 1 ? ` (1 of ${waiting})` : '';
  const keys = promptChoices(prompt).map(({ key, label }) => `${key} ${label}`);
  const extra = [
    ...(canEdit(model, prompt) ? ['e Change it'] : []),
    ...(isInputCut(prompt) || rest.length > MAX_TEXT_LINES ? ['v Show all of it'] : []),
    ...(takesText(prompt) ? ['t Type an answer'] : []),
  ];
  const answers = isFocused ? [...keys, ...extra].join(' · ') : 'Tab, then a key, answers it';
  const hint = model.may('session/toolCallConfirmed') ? answers : describeRole(model.host.role);
  return [
    lineOf(`? ${title}${more}`, 'needs'),
    ...shown.map((line) => lineOf(line)),
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
