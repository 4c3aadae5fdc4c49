import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import type { Line, Tone } from '../lines/line.js';

const COLOURS: Partial<Record<Tone, string>> = { run: 'blue', needs: 'yellow', error: 'red', done: 'green' };

export function StyledText({ text, tone }: { readonly text: string; readonly tone: Tone }): ReactElement {
  const color = COLOURS[tone];
  return (
    <Text {...(color && { color })} bold={tone === 'bold'} dimColor={tone === 'dim'}>
      {text}
    </Text>
  );
}

/** As many lines as fit, each one row high. */
export function Lines({ lines }: { readonly lines: readonly Line[] }): ReactElement {
  return (
    <Box flexDirection="column">
      {lines.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is identified by its position
        <Box key={at} height={1} flexShrink={0}>
          <Text wrap="truncate">
            {line.length === 0 ? ' ' : null}
            {line.map(({ text, tone }, segment) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: as above
              <StyledText key={segment} text={text} tone={tone} />
            ))}
          </Text>
        </Box>
      ))}
    </Box>
  );
}
