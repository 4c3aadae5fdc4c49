import type { UserMessage } from '@agenthost/protocol';
import { MAX_DERIVED_TITLE } from '../sessionLimits.js';

/** Makes a title from a message: its first line. Empty for a message without text. */
export function derivedTitle({ text }: UserMessage): string {
  const [line = ''] = text.trim().split('\n');
  return line.length > MAX_DERIVED_TITLE ? `${line.slice(0, MAX_DERIVED_TITLE - 1)}…` : line;
}
