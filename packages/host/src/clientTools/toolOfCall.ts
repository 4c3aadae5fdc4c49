import type { ToolCallStart } from '@agenthost/protocol';

/** The name under which agents know the MCP server of clients' tools. They put it into the names of its tools. */
export const TOOL_SERVER_NAME = 'agenthost';

const WORD = /[A-Za-z0-9_-]/;
const LETTER = /[A-Za-z0-9-]/;

/**
 * Which of these tools a call is, by the words that the agent shows: agents join the names of the server and the tool in different
 * ways. It is for display only.
 */
export function toolOfCall(call: ToolCallStart, names: Iterable<string>): string | undefined {
  const texts = [call.toolName, call.displayName, call.invocationMessage].map((text) => text.slice(0, 500));
  let found: string | undefined;
  for (const name of names) {
    const isIt =
      call.toolName === name || texts.some((text) => text.includes(TOOL_SERVER_NAME) && mentions(text, name));
    if (isIt && name.length > (found?.length ?? 0)) found = name;
  }
  return found;
}

/** As a word, or after the name of the server and an underscore. */
function mentions(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const [before, after] = [text[at - 1], text[at + name.length]];
    const begins = before === undefined || !LETTER.test(before);
    if (begins && (after === undefined || !WORD.test(after))) return true;
  }
  return false;
}
