export type WireName = 'chat' | 'responses' | 'messages' | 'gemini';

/** One thing of a conversation, whatever the wire calls it. Texts that agents add for themselves are left out. */
export interface ConversationItem {
  readonly role: 'user' | 'assistant' | 'toolResult';
  readonly text: string;
}

/** What one body asks for, in the words of this test kit. */
export interface ParsedRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly tools: readonly string[];
  readonly items: readonly ConversationItem[];
}

/** A request to the model, as the server recorded it. */
export interface ModelRequest extends ParsedRequest {
  readonly wire: WireName;
  readonly path: string;
  /** The last thing that the user said. */
  readonly prompt: string;
  /** What tools brought since then. */
  readonly toolResults: readonly string[];
  /** How many replies with tool calls the prompt has had already. */
  readonly step: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
  /** Settles when the answer is through, or when the asker hung up before it was. */
  readonly closed: Promise<'answered' | 'hungUp'>;
}

/** The last prompt and what followed it. */
export function promptOf(items: readonly ConversationItem[]): Pick<ModelRequest, 'prompt' | 'toolResults' | 'step'> {
  const last = items.findLastIndex((item) => item.role === 'user');
  const since = items.slice(last + 1);
  const results = since.filter((item) => item.role === 'toolResult');
  // Several results in a row answer the calls of one reply.
  const step = since.filter((item, at) => item.role === 'toolResult' && since[at - 1]?.role !== 'toolResult').length;
  return { prompt: items[last]?.text ?? '', toolResults: results.map((item) => item.text), step };
}

/** The texts of a message's content, in whichever shape; empty when it is all an agent's own reminders. */
export function textOf(content: unknown): string {
  return plainText(content)
    .replace(/<(system[-_]reminder|current_datetime|reminder)>[\s\S]*?<\/\1>/g, '')
    .replace(/^\s*\[Request interrupted by user[^\]]*\]/, '')
    .trim();
}

function plainText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map(plainText).join('\n');
  if (typeof content !== 'object' || content === null) return '';
  const { text, output, content: inner } = content as Record<string, unknown>;
  return plainText(text ?? output ?? inner);
}
