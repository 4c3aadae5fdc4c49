import { describeRole } from '@agenthost/protocol/internal';
import { locationOf } from '@agenthost/sessions';
import { Box, Text, useInput, usePaste, useWindowSize } from 'ink';
import { type ReactElement, useSyncExternalStore } from 'react';
import { safeLine } from '../../text/safeText.js';
import type { AttachModel } from '../attachModel.js';
import { withEdit } from '../dialogKeys.js';
import { pasted } from '../editKeys.js';
import { keyFocus } from '../keyFocus.js';
import type { Keys } from '../keys.js';
import { conversationLines } from '../lines/conversationLines.js';
import { type Line, lineOf } from '../lines/line.js';
import { currentPrompt } from '../promptKeys.js';
import { promptView } from '../promptView.js';
import { insert } from '../textEdit.js';
import { Composer, composerRows } from './Composer.js';
import { Conversation, headerText, queueLines } from './Conversation.js';
import { DialogPanel } from './DialogPanel.js';
import { Lines } from './Lines.js';
import { PromptPanel, promptLines } from './PromptPanel.js';
import { SessionList } from './SessionList.js';
import { StatusBar } from './StatusBar.js';

/** From this width on the list fits beside the conversation. */
const TWO_PANES = 90;
const LIST_COLUMNS = 34;
/** Rows of a prompt beside its text: the title, the position in the text, the keys, a blank one. */
const PROMPT_FRAME = 5;
/** The minimum rows of the conversation and of a prompt in a low window. */
const MIN_CONVERSATION = 3;
const MIN_PROMPT = 3;

export function App({ model, keys }: { readonly model: AttachModel; readonly keys: Keys }): ReactElement {
  useSyncExternalStore(model.subscribe, model.version);
  const { columns, rows } = useWindowSize();
  const { ui, chat } = model;
  const state = chat?.state.value;
  const isWide = columns >= TWO_PANES;
  const showsList = isWide ? !ui.isListHidden : ui.focus === 'list' && !ui.dialog;
  const showsChat = isWide || !showsList;
  const listColumns = showsList ? (isWide ? LIST_COLUMNS : columns) : 0;
  const width = Math.max(columns - (showsList && isWide ? listColumns + 2 : 0), 10);

  const prompt = currentPrompt(model);
  const waiting = (chat?.confirmations.value.length ?? 0) + (chat?.permissions.value.length ?? 0);
  const queue = state ? queueLines(state, width, model.may('session/turnStarted')) : [];
  const typing = ui.dialog?.kind === 'input' ? ui.dialog : undefined;
  const typed = composerRows(typing?.edit ?? ui.composer, width).length;
  const promptRows = Math.max(rows - 3 - queue.length - typed - PROMPT_FRAME - MIN_CONVERSATION, MIN_PROMPT);
  const view = prompt && promptView(model, prompt, width - 2, promptRows);
  const asked = prompt && view ? promptLines(model, prompt, width, waiting, view) : [];
  const below = queue.length + (asked.length > 0 ? asked.length + 1 : 0) + typed;
  const conversationRows = Math.max(rows - 1 - 1 - 1 - below, 1);
  const lines = state ? conversationLines(state, width, prompt) : phaseLines(model);
  const maxScroll = Math.max(lines.length - conversationRows, 0);
  const scrolledUp = Math.min(ui.scrolledUp, maxScroll);

  useInput((input, key) => keys.press(input, key, { rows: conversationRows, maxScroll, prompt: view }));
  usePaste((text) => {
    const { dialog, composer } = model.ui;
    if (dialog && 'edit' in dialog) model.update({ dialog: withEdit(dialog, insert(dialog.edit, pasted(text))) });
    else if (dialog?.kind === 'new') model.update({ dialog: withEdit(dialog, insert(dialog.folder, pasted(text))) });
    else if (!dialog && model.may('session/turnStarted'))
      model.update({ composer: insert(composer, pasted(text)), focus: 'composer' });
  });

  return (
    <Box flexDirection="column" width={columns} height={rows - 1}>
      <Box height={rows - 2} flexShrink={0} overflow="hidden">
        {showsList ? <SessionList {...{ model, columns: listColumns, rows: rows - 2, now: Date.now() }} /> : null}
        {showsList && isWide ? <Text> </Text> : null}
        {showsChat ? (
          <Box flexDirection="column" width={width} height={rows - 2} flexShrink={0}>
            {ui.dialog && ui.dialog.kind !== 'input' ? (
              <Box height={conversationRows + 1} flexShrink={0} flexDirection="column" overflow="hidden">
                <DialogPanel model={model} dialog={ui.dialog} columns={width} />
              </Box>
            ) : (
              <Conversation
                {...{ lines, rows: conversationRows, scrolledUp, columns: width }}
                header={state ? headerText(state) : 'agenthost'}
              />
            )}
            <PromptPanel lines={asked} />
            <Lines lines={queue} />
            <Composer
              edit={typing?.edit ?? ui.composer}
              columns={width}
              isFocused={typing !== undefined || (keyFocus(model) === 'composer' && !ui.dialog)}
              placeholder={typing ? 'Types into the running command' : placeholder(model)}
            />
          </Box>
        ) : null}
      </Box>
      <StatusBar model={model} columns={columns} />
    </Box>
  );
}

function placeholder(model: AttachModel): string {
  const { chat, ui } = model;
  if (!model.may('session/turnStarted')) return describeRole(model.host.role);
  if (!chat) return 'Open a session to write';
  const location = locationOf(chat.state.value?.summary.metadata);
  if (location?.isAway) return `Its machine ${safeLine(location.place)} is away: read on, or fork it (f)`;
  if (ui.editing) return 'Nothing: Enter takes the message back';
  return chat.state.value?.activeTurn ? 'Enter queues it' : 'Write a message';
}

function phaseLines({ chat }: AttachModel): Line[] {
  const phase = chat?.phase.value;
  if (!phase) return [lineOf('No session is open. ↑ ↓ and Enter open one, n makes one.', 'dim')];
  if (phase.state === 'gone') return [lineOf('The host has this session no more.', 'error')];
  if (phase.state === 'failed' || phase.state === 'interrupted') {
    const text = phase.error instanceof Error ? phase.error.message : String(phase.error);
    return [lineOf(safeLine(text), 'error')];
  }
  return [lineOf('Loading…', 'dim')];
}
