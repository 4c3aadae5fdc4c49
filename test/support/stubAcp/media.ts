import { randomUUID } from 'node:crypto';
import { text, update } from './conversation.ts';

interface Block {
  readonly data?: string;
  /** So many bytes more: for what is too long for a prompt. */
  readonly pad?: number;
}

/** What a prompt like `say-blocks [{"type":"image",…}]` asks for. */
function blocksOf(rest: string): readonly object[] {
  return (JSON.parse(rest) as readonly Block[]).map(({ pad, ...block }) => {
    if (pad === undefined) return block;
    const bytes = Buffer.concat([Buffer.from(block.data ?? '', 'base64'), Buffer.alloc(pad)]);
    return { ...block, data: bytes.toString('base64') };
  });
}

/** Content blocks in the answer, as they are in the prompt: also such as no agent should send. */
export function sayBlocks(rest: string): void {
  text('Before. ');
  for (const content of blocksOf(rest)) update('agent_message_chunk', { content });
  text('After.');
}

export function thinkBlocks(rest: string): void {
  for (const content of blocksOf(rest)) update('agent_thought_chunk', { content });
  text('After.');
}

/** The same blocks as the content of a tool call, told twice, as agents do. */
export function toolBlocks(rest: string): void {
  const toolCallId = randomUUID();
  const content = blocksOf(rest).map((block) => ({ type: 'content', content: block }));
  update('tool_call', { toolCallId, title: 'Take a picture', kind: 'other', name: 'camera', status: 'in_progress' });
  update('tool_call_update', { toolCallId, content });
  update('tool_call_update', { toolCallId, status: 'completed', content });
  text('Taken.');
}

/** `repeat-block COUNT BLOCK`: the block so often, each time with other bytes. */
export function repeatBlock(rest: string): void {
  const [, count = '0', json = '{}'] = /^(\d+) (.*)$/s.exec(rest) ?? [];
  const block = JSON.parse(json) as Block;
  for (let n = 0; n < Number(count); n++) {
    const data = Buffer.concat([Buffer.from(block.data ?? '', 'base64'), Buffer.from(String(n))]).toString('base64');
    update('agent_message_chunk', { content: { ...block, data } });
  }
  text('All sent.');
}
