import type { Turn, UserMessage } from '@agenthost/protocol';

/** A collector gets the beginning of a long text. */
const MAX_CONTENT = 16 * 1024;

/** In the form of the GenAI conventions. Only where the user asked for it. */
export function inputMessages({ text }: UserMessage): string {
  return JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: bounded(text) }] }]);
}

export function outputMessages({ responseParts, state }: Turn): string {
  const text = responseParts.flatMap((part) => (part.kind === 'markdown' ? [part.content] : [])).join('\n\n');
  const finish = { complete: 'stop', cancelled: 'cancelled', error: 'error' }[state];
  return JSON.stringify([
    { role: 'assistant', parts: [{ type: 'text', content: bounded(text) }], finish_reason: finish },
  ]);
}

export function bounded(text: string): string {
  return text.length <= MAX_CONTENT ? text : `${text.slice(0, MAX_CONTENT)}…`;
}
