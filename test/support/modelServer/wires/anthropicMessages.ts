import { type ConversationItem, textOf } from '../modelRequest.js';
import {
  argumentsOf,
  type Body,
  event,
  list,
  nextId,
  pieces,
  type StreamedAnswer,
  string,
  type WholeAnswer,
  type Wire,
} from '../wire.js';

const usage = { input_tokens: 10, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

/** Anthropic's messages. */
export const anthropicMessages: Wire = {
  name: 'messages',
  owns: (path) => path.endsWith('/messages'),

  parse: (body) => ({
    model: string(body['model']),
    stream: body['stream'] === true,
    tools: list(body['tools']).map((tool) => string(tool['name'])),
    items: list(body['messages']).flatMap(conversationItems),
  }),

  whole: (answer, model) => ({
    ...head(model),
    content: [
      ...(answer.reasoning === '' ? [] : [{ type: 'thinking', thinking: answer.reasoning, signature: 'scripted' }]),
      ...(answer.text === '' ? [] : [{ type: 'text', text: answer.text }]),
      ...answer.toolCalls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
    ],
    stop_reason: stopReason(answer),
  }),

  async *stream(answer, model) {
    yield event('message_start', { message: head(model) });
    let index = 0;
    const start = (content_block: object) => event('content_block_start', { index, content_block });
    const delta = (value: object) => event('content_block_delta', { index, delta: value });
    const stop = () => event('content_block_stop', { index: index++ });
    if (answer.reasoning !== '') {
      yield start({ type: 'thinking', thinking: '', signature: '' });
      for (const thinking of pieces(answer.reasoning)) yield delta({ type: 'thinking_delta', thinking });
      yield delta({ type: 'signature_delta', signature: 'scripted' });
      yield stop();
    }
    if (answer.hasText) {
      yield start({ type: 'text', text: '' });
      for await (const text of answer.textPieces) yield delta({ type: 'text_delta', text });
      yield stop();
    }
    for (const call of answer.toolCalls) {
      yield start({ type: 'tool_use', id: call.id, name: call.name, input: {} });
      yield delta({ type: 'input_json_delta', partial_json: argumentsOf(call) });
      yield stop();
    }
    yield event('message_delta', {
      delta: { stop_reason: stopReason(answer), stop_sequence: null },
      usage: { output_tokens: 5 },
    });
    yield event('message_stop', {});
  },

  failure: (_status, message) => ({ type: 'error', error: { type: 'api_error', message } }),
};

/** Results of tools are blocks of a user's message here, and what the user typed may stand beside them. */
function conversationItems(message: Body): ConversationItem[] {
  if (message['role'] !== 'user') return [{ role: 'assistant', text: textOf(message['content']) }];
  if (typeof message['content'] === 'string') return userItem(message['content']);
  return list(message['content']).flatMap((block): ConversationItem[] =>
    block['type'] === 'tool_result'
      ? [{ role: 'toolResult', text: textOf(block['content']) }]
      : userItem(block['type'] === 'text' ? block['text'] : ''),
  );
}

function userItem(content: unknown): ConversationItem[] {
  const text = textOf(content);
  return text === '' ? [] : [{ role: 'user', text }];
}

function head(model: string) {
  const id = nextId('msg');
  return { id, type: 'message', role: 'assistant', model, content: [], stop_reason: null, stop_sequence: null, usage };
}

function stopReason({ toolCalls }: WholeAnswer | StreamedAnswer): string {
  return toolCalls.length > 0 ? 'tool_use' : 'end_turn';
}
