import type { SessionCommand } from '@agenthost/protocol';

/** What is being typed after a slash at the beginning of a message; nothing of a message that is none or has several lines. */
export function typedCommand(text: string): string | undefined {
  return /^\/(.*)$/.exec(text)?.[1]?.toLowerCase();
}

/** The agent's commands that fit it. */
export function fittingCommands(commands: readonly SessionCommand[], text: string): readonly SessionCommand[] {
  const typed = typedCommand(text);
  return typed === undefined ? [] : commands.filter(({ name }) => name.toLowerCase().startsWith(typed));
}
