import type { SessionCommand } from '@agenthost/protocol';
import { MAX_COMMANDS, MAX_TITLE_LENGTH } from '@agenthost/protocol/internal';
import { oneLine } from './boundedText.js';

/** Limits the commands to what clients accept, each on one line. Commands with an untypeable or duplicate name are left out. */
export function boundedCommands(commands: readonly SessionCommand[]): SessionCommand[] {
  const bounded = new Map<string, SessionCommand>();
  for (const { name, description, inputHint } of commands) {
    if (bounded.size >= MAX_COMMANDS) break;
    const typed = name.replace(/^\/+/, '');
    if (!/^(?=.{1,256}$)\S+(?: \S+)*$/.test(typed) || oneLine(typed, MAX_TITLE_LENGTH) !== typed || bounded.has(typed))
      continue;
    bounded.set(typed, {
      name: typed,
      ...(description && { description: oneLine(description, MAX_TITLE_LENGTH) }),
      ...(inputHint && { inputHint: oneLine(inputHint, MAX_TITLE_LENGTH) }),
    });
  }
  return [...bounded.values()];
}
