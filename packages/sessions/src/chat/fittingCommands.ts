import type { SessionCommand } from '@agenthost/protocol';

/**
 * What is typed after a slash at the beginning of a message. `undefined` for a message without a slash or with several lines.
 *
 * @example
 * ```ts
 * typedCommand('/com'); // 'com'
 * typedCommand('hello'); // undefined
 * ```
 */
export function typedCommand(text: string): string | undefined {
  return /^\/(.*)$/.exec(text)?.[1]?.toLowerCase();
}

/**
 * The agent's commands that begin with what is typed after the slash.
 *
 * @example
 * ```ts
 * const commands = [{ name: 'compact', description: 'Summarise the conversation' }];
 * fittingCommands(commands, '/com'); // the command "compact"
 * ```
 */
export function fittingCommands(commands: readonly SessionCommand[], text: string): readonly SessionCommand[] {
  const typed = typedCommand(text);
  return typed === undefined ? [] : commands.filter(({ name }) => name.toLowerCase().startsWith(typed));
}
