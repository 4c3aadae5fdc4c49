import type { Session } from '@agenthost/sessions';
import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import { relativeTime } from '../../text/relativeTime.js';
import { safeLine } from '../../text/safeText.js';
import { GLYPH } from '../../text/style.js';
import { fit, padTo, textWidth } from '../../text/width.js';
import type { AttachModel } from '../attachModel.js';
import type { Tone } from '../lines/line.js';
import { StyledText } from './Lines.js';

interface Props {
  readonly model: AttachModel;
  readonly columns: number;
  readonly rows: number;
  readonly now: number;
}

export function SessionList({ model, columns, rows, now }: Props): ReactElement {
  const { list, ui } = model;
  const { text } = list.filter;
  const shown = Math.max(rows - 1, 1);
  const first = Math.max(0, Math.min(ui.selected - Math.floor(shown / 2), list.length - shown));
  const lines = Array.from({ length: Math.min(shown, list.length - first) }, (_, at) => first + at);
  const title = text ? `Sessions “${safeLine(text)}”` : 'Sessions';
  return (
    <Box flexDirection="column" width={columns} height={rows} flexShrink={0}>
      <Text bold={ui.focus === 'list'} dimColor={ui.focus !== 'list'} wrap="truncate">
        {fit(title, columns)}
      </Text>
      {list.length === 0 ? <Text dimColor>{fit(emptyText(model, text), columns)}</Text> : null}
      {lines.map((line) => {
        const item = list.at(line);
        if (!item) return null;
        const isSelected = line === ui.selected && ui.focus === 'list';
        if (item.kind === 'session') {
          const isOpen = model.chat?.resource === item.session.mainChat.resource;
          return <Row key={item.session.sessionId} {...{ session: item.session, columns, isSelected, isOpen, now }} />;
        }
        const heading = fit(`${item.isCollapsed ? '▸' : '▾'} ${safeLine(item.group.label)}`, columns);
        return (
          <Text key={`group:${item.group.key}`} dimColor inverse={isSelected} wrap="truncate">
            {heading}
          </Text>
        );
      })}
    </Box>
  );
}

interface RowProps {
  readonly session: Session;
  readonly columns: number;
  readonly isSelected: boolean;
  readonly isOpen: boolean;
  readonly now: number;
}

function Row({ session, columns, isSelected, isOpen, now }: RowProps): ReactElement {
  const { glyph, tone } = stateOf(session);
  const time = relativeTime(session.updatedAt.value.getTime(), now);
  const room = columns - 4 - textWidth(time);
  const away = session.workspace.value?.location?.isAway ? ' (away)' : '';
  const title = padTo(fit(`${safeLine(session.title.value) || 'Untitled'}${away}`, room), room);
  const isUnread = !session.isRead.value;
  return (
    <Box height={1}>
      <Text wrap="truncate">
        {isOpen ? '▌' : ' '}
        <StyledText text={glyph} tone={tone} />{' '}
        <Text bold={isUnread} inverse={isSelected} dimColor={!isUnread && !isOpen && !isSelected}>
          {title}
        </Text>
        <Text dimColor> {time}</Text>
      </Text>
    </Box>
  );
}

function stateOf({ status, isRead }: Session): { readonly glyph: string; readonly tone: Tone } {
  switch (status.value) {
    case 'inProgress':
      return { glyph: GLYPH.inProgress, tone: 'run' };
    case 'needsInput':
      return { glyph: GLYPH.inputNeeded, tone: 'needs' };
    case 'error':
      return { glyph: GLYPH.error, tone: 'error' };
    default:
      return isRead.value ? { glyph: GLYPH.idle, tone: 'dim' } : { glyph: GLYPH.unread, tone: 'done' };
  }
}

function emptyText({ provider }: AttachModel, text: string | undefined): string {
  if (text) return `No session matches “${safeLine(text)}”.`;
  return provider.isLoadingSessions.value ? 'Loading…' : 'Start your first session: n';
}
