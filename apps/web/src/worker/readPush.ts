import type { PushMessage } from '@agenthost/protocol/internal';

/** What the host pushed. `undefined` for anything else: a later version may push more. */
export function readPush(text: string | undefined): PushMessage | undefined {
  try {
    const message = JSON.parse(text ?? '') as Partial<PushMessage> | null;
    const isKnown = message?.kind === 'question' || message?.kind === 'finished' || message?.kind === 'closed';
    if (!isKnown || typeof message.tag !== 'string' || typeof message.title !== 'string') return undefined;
    if (message.kind !== 'closed' && typeof (message as { text?: unknown }).text !== 'string') return undefined;
    return message as PushMessage;
  } catch {
    return undefined;
  }
}
