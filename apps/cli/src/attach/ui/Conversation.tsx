import type { SessionState } from '@agenthost/protocol';
import { locationOf, type SessionLocation } from '@agenthost/sessions';
import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import { safeLine } from '../../text/safeText.js';
import { fit } from '../../text/width.js';
import { queueHold } from '../heldQueue.js';
import { type Line, lineOf } from '../lines/line.js';
import { settingsText } from '../settingKeys.js';
import { Lines } from './Lines.js';

const MAX_QUEUE_ROWS = 3;

export function headerText({ summary, settings = [], clients = [] }: SessionState): string {
  const others = clients.length > 1 ? ` · ${clients.length} here` : '';
  const folder = summary.workingDirectory?.startsWith('file://')
    ? ` · ${decodeURIComponent(summary.workingDirectory.slice('file://'.length))}`
    : '';
  const model = summary.model ? ` ${summary.model}` : '';
  const at = locationText(locationOf(summary.metadata));
  const chosen = settings.length > 0 ? ` · ${settingsText(settings)}` : '';
  return safeLine(`${summary.title || 'Untitled'} · ${summary.provider}${model}${chosen}${folder}${at}${others}`);
}

function locationText(location: SessionLocation | undefined): string {
  if (!location) return '';
  return location.isAway ? ` · ${location.place} is away` : ` · ${location.place}, ${location.host}`;
}

const HOLD_WORDS = { stopped: 'the turn was stopped', failed: 'the turn failed' } as const;

/** Messages that wait behind the running turn, or are held. `mayLetGo`: this client may send them. */
export function queueLines(state: SessionState, columns: number, mayLetGo: boolean): Line[] {
  const { queuedMessages = [], steeringMessage } = state;
  const steering = steeringMessage ? [`» ${safeLine(steeringMessage.userMessage.text)}`] : [];
  const queued = queuedMessages.map(({ userMessage }, at) => `${at + 1}. ${safeLine(userMessage.text)}`);
  const all = [...steering, ...queued];
  const hidden = all.length - MAX_QUEUE_ROWS;
  const shown = hidden > 0 ? [...all.slice(0, MAX_QUEUE_ROWS - 1), `… ${hidden + 1} more`] : all;
  const lines = shown.map((text) => lineOf(fit(`  ${text}`, columns), 'dim'));
  const hold = queueHold(state);
  if (!hold) return lines;
  const count = all.length === 1 ? '1 message' : `${all.length} messages`;
  const how = mayLetGo ? `: Ctrl+R sends ${all.length === 1 ? 'it' : 'them'}` : '';
  return [lineOf(fit(`${count} held, because ${HOLD_WORDS[hold]}${how}`, columns), 'needs'), ...lines];
}

interface Props {
  readonly lines: readonly Line[];
  readonly rows: number;
  readonly scrolledUp: number;
  readonly header: string;
  readonly columns: number;
}

/** The newest at the bottom, unless the user has scrolled up. */
export function Conversation({ lines, rows, scrolledUp, header, columns }: Props): ReactElement {
  const end = Math.max(lines.length - scrolledUp, Math.min(rows, lines.length));
  const shown = lines.slice(Math.max(end - rows, 0), end);
  return (
    <Box flexDirection="column" flexShrink={0} height={rows + 1} width={columns}>
      <Text bold wrap="truncate">
        {fit(header, columns)}
      </Text>
      <Box flexDirection="column" height={rows} justifyContent="flex-end">
        <Lines lines={shown} />
      </Box>
    </Box>
  );
}
