import type { SessionState } from '@agenthost/protocol';
import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import { safeLine } from '../../text/safeText.js';
import { fit } from '../../text/width.js';
import { type Line, lineOf } from '../lines/line.js';
import { Lines } from './Lines.js';

const MAX_QUEUE_ROWS = 3;

export function headerText({ summary, clients = [] }: SessionState): string {
  const others = clients.length > 1 ? ` · ${clients.length} here` : '';
  const folder = summary.workingDirectory?.startsWith('file://')
    ? ` · ${decodeURIComponent(summary.workingDirectory.slice('file://'.length))}`
    : '';
  const model = summary.model ? ` ${summary.model}` : '';
  return safeLine(`${summary.title || 'Untitled'} · ${summary.provider}${model}${folder}${others}`);
}

/** Messages that wait behind the running turn. */
export function queueLines(state: SessionState, columns: number): Line[] {
  const { queuedMessages = [], steeringMessage } = state;
  const steering = steeringMessage ? [`» ${safeLine(steeringMessage.userMessage.text)}`] : [];
  const queued = queuedMessages.map(({ userMessage }, at) => `${at + 1}. ${safeLine(userMessage.text)}`);
  const all = [...steering, ...queued];
  const hidden = all.length - MAX_QUEUE_ROWS;
  const shown = hidden > 0 ? [...all.slice(0, MAX_QUEUE_ROWS - 1), `… ${hidden + 1} more`] : all;
  return shown.map((text) => lineOf(fit(`  ${text}`, columns), 'dim'));
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
