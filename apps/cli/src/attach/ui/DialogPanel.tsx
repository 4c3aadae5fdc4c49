import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import { safeLine } from '../../text/safeText.js';
import type { AttachModel } from '../attachModel.js';
import { usableAgents } from '../dialogKeys.js';
import type { Dialog } from '../uiState.js';
import { Composer } from './Composer.js';
import { FormPanel } from './FormPanel.js';

interface Props {
  readonly model: AttachModel;
  /** The line for a running command is no dialog on the screen: the conversation stays. */
  readonly dialog: Exclude<Dialog, { readonly kind: 'input' }>;
  readonly columns: number;
}

const TITLES = {
  search: 'Search sessions (Esc clears it)',
  rename: 'Rename',
  command: 'Run this instead',
  answer: 'Your answer',
} as const;

/** Over the conversation, in its pane. */
export function DialogPanel({ model, dialog, columns }: Props): ReactElement {
  if (dialog.kind === 'help') return <HelpSheet />;
  if (dialog.kind === 'form') return <FormPanel dialog={dialog} columns={columns} />;
  if (dialog.kind === 'delete') {
    return (
      <Text color="red">
        Delete “{safeLine(dialog.title) || 'Untitled'}” for good? y deletes it, any other key keeps it.
      </Text>
    );
  }
  if (dialog.kind === 'new') return <NewSession {...{ model, dialog, columns }} />;
  return (
    <Box flexDirection="column">
      <Text bold>{TITLES[dialog.kind]}</Text>
      <Composer edit={dialog.edit} columns={columns} isFocused placeholder="" />
    </Box>
  );
}

function NewSession({
  model,
  dialog,
  columns,
}: Props & { readonly dialog: Props['dialog'] & { kind: 'new' } }): ReactElement {
  const agents = usableAgents(model);
  return (
    <Box flexDirection="column">
      <Text bold>New session</Text>
      {agents.length === 0 ? <Text color="yellow">No agent is available; see agenthost doctor.</Text> : null}
      {agents.map(({ provider, displayName }, at) => (
        <Text key={provider} inverse={at === dialog.agent}>
          {at === dialog.agent ? '› ' : '  '}
          {safeLine(displayName)}
        </Text>
      ))}
      <Text dimColor>↑ ↓ choose the agent; the folder on the host:</Text>
      <Composer edit={dialog.folder} columns={columns} isFocused placeholder="" />
      <Text dimColor>⏎ makes it · Esc does not</Text>
    </Box>
  );
}

const SHEET = [
  ['Everywhere', 'Tab next part · ? this · Ctrl+C stop the turn, twice leave'],
  ['List', 'J K ↑ ↓ move · ⏎ open · N new · / search · I needs you'],
  ['', 'E archive · A show archived · U unread · R rename · F fork · Del delete · [ hide'],
  ['Writing', '⏎ send, or queue while a turn runs · Ctrl+J new line · Ctrl+S steer · / and Tab a command of the agent'],
  ['', '↑ change the last queued · Esc Esc stop, which holds the queue · Ctrl+R send the held queue · Ctrl+D leave'],
  ['', 'Ctrl+P next mode of the agent · Ctrl+O next effort'],
  ['', 'Ctrl+T type into the running command'],
  ['Reading', 'Page Up, Page Down · Ctrl+G newest'],
  [
    'Asked',
    'Y once · S in this session · N or X no · E change the command · F fill in a form · ↑ ↓ the rest of a long one',
  ],
] as const;

function HelpSheet(): ReactElement {
  return (
    <Box flexDirection="column">
      <Text bold>Keys</Text>
      {SHEET.map(([where, keys]) => (
        <Text key={keys} wrap="truncate">
          <Text dimColor>{where.padEnd(12)}</Text>
          {keys}
        </Text>
      ))}
      <Text dimColor>Any key closes this.</Text>
    </Box>
  );
}
