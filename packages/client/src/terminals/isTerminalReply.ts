/** In turn: attributes, states, the cursor's place, modes, colours and strings, focus, a mouse that is only moved. */
const REPLY =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
  /^(?:\x1b\[[?>=][\d;]*c|\x1b\[\??[\d;]*n|\x1b\[\??(?!1;[2-8]R)\d+;\d+R|\x1b\[\??[\d;]*\$y|\x1b[\]P][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[IO]|\x1b\[<3[5-9];\d+;\d+[mM])+$/;

/**
 * Whether this is what a terminal sends by itself, such as its answer to a program that asks where the cursor is. Nobody typed it, and
 * only one of all terminals that show a program may answer it.
 */
export function isTerminalReply(data: string): boolean {
  return data.length < 4_096 && data.startsWith('\x1b') && REPLY.test(data);
}
