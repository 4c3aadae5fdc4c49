import { type ConversationItem, textOf } from '../modelRequest.js';
import {
  argumentsOf,
  data,
  list,
  nextId,
  pieces,
  record,
  type StreamedAnswer,
  string,
  type WholeAnswer,
  type Wire,
} from '../wire.js';

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/** OpenAI's chat completions. */
export const chatCompletions: Wire = {
  name: 'chat',
  owns: (path) => path.endsWith('/chat/completions'),

  parse: (body) => ({
    model: string(body['model']),
    stream: body['stream'] === true,
    tools: list(body['tools']).map((tool) => string(record(tool['function'])['name'] ?? tool['name'])),
    items: list(body['messages']).flatMap((message): ConversationItem[] => {
      const text = textOf(message['content']);
      switch (message['role']) {
        case 'user':
          return text === '' ? [] : [{ role: 'user', text }];
        case 'assistant':
          return [{ role: 'assistant', text }];
        case 'tool':
          return [{ role: 'toolResult', text }];
        default:
          return [];
      }
    }),
  }),

  whole: (answer, model) => ({
    ...head('chat.completion', model),
    usage,
    choices: [
      {
        index: 0,
        finish_reason: finish(answer),
        message: {
          role: 'assistant',
          content: answer.text === '' ? null : answer.text,
          ...(answer.reasoning !== '' && { reasoning_content: answer.reasoning }),
          ...(answer.toolCalls.length > 0 && { tool_calls: calls(answer) }),
        },
      },
    ],
  }),

  async *stream(answer, model) {
    const chunkHead = head('chat.completion.chunk', model);
    const chunk = (delta: object, finish_reason: string | null = null) =>
      data({ ...chunkHead, choices: [{ index: 0, delta, finish_reason }] });
    yield chunk({ role: 'assistant', content: '' });
    for (const piece of pieces(answer.reasoning)) yield chunk({ reasoning_content: piece });
    for await (const content of answer.textPieces) yield chunk({ content });
    if (answer.toolCalls.length > 0) yield chunk({ tool_calls: calls(answer) });
    yield chunk({}, finish(answer));
    yield data({ ...chunkHead, choices: [], usage });
    yield data('[DONE]');
  },

  failure: (_status, message) => ({ error: { message, type: 'server_error' } }),
};

function head(object: string, model: string) {
  return { id: nextId('chatcmpl'), object, created: 1, model };
}

function finish({ toolCalls }: WholeAnswer | StreamedAnswer): string {
  return toolCalls.length > 0 ? 'tool_calls' : 'stop';
}

function calls({ toolCalls }: WholeAnswer | StreamedAnswer) {
  return toolCalls.map((call, index) => ({
    index,
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: argumentsOf(call) },
  }));
}
