import { type ConversationItem, textOf } from '../modelRequest.js';
import { argumentsOf, type Body, event, list, nextId, pieces, string, type WholeAnswer, type Wire } from '../wire.js';

const usage = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 15,
};

/** OpenAI's responses. */
export const responses: Wire = {
  name: 'responses',
  owns: (path) => path.endsWith('/responses'),

  parse: (body) => ({
    model: string(body['model']),
    stream: body['stream'] === true,
    tools: list(body['tools']).flatMap(toolNames),
    items:
      typeof body['input'] === 'string'
        ? [{ role: 'user', text: body['input'] }]
        : list(body['input']).flatMap(conversationItem),
  }),

  whole: (answer, model) => ({ ...base(model), status: 'completed', output: outputItems(answer), usage }),

  async *stream(answer, model) {
    let number = 0;
    const emit = (type: string, fields: object) => event(type, { sequence_number: number++, ...fields });
    const response = base(model);
    yield emit('response.created', { response });
    const output: object[] = [];
    for (const item of outputItems({ ...answer, text: '' })) {
      // Reasoning comes before the text, calls come after it.
      if (item.type !== 'reasoning') continue;
      const at = { item_id: item.id, output_index: output.length, summary_index: 0 };
      yield emit('response.output_item.added', { output_index: output.length, item: { ...item, summary: [] } });
      yield emit('response.reasoning_summary_part.added', { ...at, part: { type: 'summary_text', text: '' } });
      for (const delta of pieces(answer.reasoning))
        yield emit('response.reasoning_summary_text.delta', { ...at, delta });
      yield emit('response.reasoning_summary_text.done', { ...at, text: answer.reasoning });
      yield emit('response.reasoning_summary_part.done', { ...at, part: item.summary[0] });
      yield emit('response.output_item.done', { output_index: output.length, item });
      output.push(item);
    }
    if (answer.hasText) {
      const id = nextId('msg');
      const at = { item_id: id, output_index: output.length, content_index: 0 };
      yield emit('response.output_item.added', {
        output_index: output.length,
        item: { type: 'message', id, role: 'assistant', status: 'in_progress', content: [] },
      });
      yield emit('response.content_part.added', { ...at, part: { type: 'output_text', text: '', annotations: [] } });
      let text = '';
      for await (const delta of answer.textPieces) {
        text += delta;
        yield emit('response.output_text.delta', { ...at, delta });
      }
      const item = messageItem(id, text);
      yield emit('response.output_text.done', { ...at, text });
      yield emit('response.content_part.done', { ...at, part: item.content[0] });
      yield emit('response.output_item.done', { output_index: output.length, item });
      output.push(item);
    }
    for (const item of callItems(answer)) {
      const at = { item_id: item.id, output_index: output.length };
      const begun = item.type === 'custom_tool_call' ? { ...item, input: '' } : { ...item, arguments: '' };
      yield emit('response.output_item.added', {
        output_index: output.length,
        item: { ...begun, status: 'in_progress' },
      });
      if (item.type === 'function_call') {
        yield emit('response.function_call_arguments.delta', { ...at, delta: item.arguments });
        yield emit('response.function_call_arguments.done', { ...at, arguments: item.arguments });
      }
      yield emit('response.output_item.done', { output_index: output.length, item });
      output.push(item);
    }
    yield emit('response.completed', { response: { ...response, status: 'completed', output, usage } });
  },

  failure: (_status, message) => ({ error: { message, type: 'server_error' } }),
};

function toolNames(tool: Body): string[] {
  if (tool['type'] !== 'namespace') return [string(tool['name'] ?? tool['type'])];
  return list(tool['tools']).map((inner) => `${string(tool['name'])}/${string(inner['name'])}`);
}

function conversationItem(item: Body): ConversationItem[] {
  if (/_call_output$/.test(string(item['type']))) return [{ role: 'toolResult', text: textOf(item['output']) }];
  if (/_call$/.test(string(item['type']))) return [{ role: 'assistant', text: '' }];
  const text = textOf(item['content']);
  if (item['role'] === 'user') return text === '' ? [] : [{ role: 'user', text }];
  return item['role'] === 'assistant' ? [{ role: 'assistant', text }] : [];
}

function base(model: string) {
  return { id: nextId('resp'), object: 'response', created_at: 1, model, status: 'in_progress', output: [] };
}

function outputItems(answer: Pick<WholeAnswer, 'text' | 'reasoning' | 'toolCalls'>) {
  const { reasoning, text } = answer;
  return [
    ...(reasoning === '' ? [] : [reasoningItem(reasoning)]),
    ...(text === '' ? [] : [messageItem(nextId('msg'), text)]),
    ...callItems(answer),
  ];
}

function reasoningItem(text: string) {
  return { type: 'reasoning' as const, id: nextId('rs'), summary: [{ type: 'summary_text', text }] };
}

function messageItem(id: string, text: string) {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return { type: 'message' as const, id, role: 'assistant', status: 'completed', content };
}

function callItems({ toolCalls }: Pick<WholeAnswer, 'toolCalls'>) {
  return toolCalls.map((call) =>
    typeof call.input === 'string'
      ? { ...callHead('custom_tool_call', call), input: call.input }
      : { ...callHead('function_call', call), arguments: argumentsOf(call) },
  );
}

function callHead<T extends string>(type: T, { id, name }: { id: string; name: string }) {
  // As `toolNames` has it for a tool of a namespace.
  const [space, inner] = name.split('/');
  const named = inner === undefined ? { name } : { namespace: space, name: inner };
  return { type, id: nextId('item'), call_id: id, ...named, status: 'completed' };
}
