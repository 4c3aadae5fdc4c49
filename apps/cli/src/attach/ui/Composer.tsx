import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import type { TextEdit } from '../textEdit.js';

const MAX_ROWS = 6;

interface Props {
  readonly edit: TextEdit;
  readonly columns: number;
  readonly isFocused: boolean;
  readonly placeholder: string;
}

interface Row {
  readonly text: string;
  /** The cursor's position in this row. */
  readonly cursor: number | undefined;
}

export function composerRows({ text, cursor }: TextEdit, columns: number): Row[] {
  const width = Math.max(columns - 3, 1);
  const rows: Row[] = [];
  let offset = 0;
  for (const line of text.split('\n')) {
    for (let start = 0; start === 0 || start < line.length; start += width) {
      const piece = line.slice(start, start + width);
      const at = cursor - offset - start;
      const isLast = start + width >= line.length;
      const isHere = at >= 0 && (at < piece.length || (isLast && at <= line.length - start));
      rows.push({ text: piece, cursor: isHere ? at : undefined });
    }
    offset += line.length + 1;
  }
  const here = Math.max(
    rows.findIndex((row) => row.cursor !== undefined),
    0,
  );
  const first = Math.max(0, Math.min(here - MAX_ROWS + 1, rows.length - MAX_ROWS));
  return rows.slice(first, first + MAX_ROWS);
}

export function Composer({ edit, columns, isFocused, placeholder }: Props): ReactElement {
  const rows = composerRows(edit, columns);
  return (
    <Box flexDirection="column" flexShrink={0} width={columns}>
      {rows.map(({ text, cursor }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is identified by its position
        <Text key={at} wrap="truncate">
          <Text bold={isFocused} dimColor={!isFocused}>
            {at === 0 ? '❯ ' : '  '}
          </Text>
          {edit.text === '' ? <Text dimColor>{isFocused ? '' : placeholder}</Text> : null}
          {cursor === undefined || !isFocused ? (
            text
          ) : (
            <>
              {text.slice(0, cursor)}
              <Text inverse>{text.slice(cursor, cursor + 1) || ' '}</Text>
              {text.slice(cursor + 1)}
            </>
          )}
          {edit.text === '' && isFocused ? <Text dimColor>{placeholder}</Text> : null}
        </Text>
      ))}
    </Box>
  );
}
