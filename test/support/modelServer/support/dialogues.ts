// Just enough of a client of each protocol to see that the server speaks it.
import type { WireName } from '../modelRequest.js';
import { type Body, list, record, string } from '../wire.js';

interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}
type CallResult = Call & { readonly result: string };
interface Asking {
  readonly prompt: string;
  readonly stream: boolean;
  readonly tools?: readonly string[];
  readonly results?: readonly CallResult[];
  readonly signal?: AbortSignal;
}
interface Heard {
  readonly reasoning?: string;
  readonly text?: string;
  readonly call?: Call;
  /** The input of the call before. */
  readonly callInput?: string;
}

export interface Dialogue {
  readonly name: string;
  readonly wire: WireName;
  path(stream: boolean): string;
  body(asking: Asking & { readonly tools: readonly string[] }): object;
  /** What one JSON of the answer says: the whole of it, or one event. */
  hear(json: Body): readonly Heard[];
}

/** Asks, and puts together what the answer says. */
export async function asked(url: string, dialogue: Dialogue, asking: Asking) {
  const { tools = ['bash', 'view'], signal } = asking;
  const response = await fetch(url + dialogue.path(asking.stream), {
    method: 'POST',
    body: JSON.stringify(dialogue.body({ ...asking, tools })),
    ...(signal && { signal }),
  });
  const raw = await response.text();
  const streamed = response.headers.get('content-type') === 'text/event-stream';
  const payloads = streamed ? [...raw.matchAll(/^data: (\{.*\})$/gm)].map(([, json]) => json ?? '') : [raw];
  const heard = payloads.flatMap((json) => dialogue.hear(JSON.parse(json)));
  return {
    status: response.status,
    raw,
    reasoning: heard.map((one) => one.reasoning ?? '').join(''),
    text: heard.map((one) => one.text ?? '').join(''),
    calls: heard.flatMap(({ call }, at) => {
      const later = heard[at + 1]?.callInput;
      return call ? [later === undefined ? call : { ...call, input: JSON.parse(later) as unknown }] : [];
    }),
  };
}

const chat: Dialogue = {
  name: 'OpenAI chat completions',
  wire: 'chat',
  path: () => '/v1/chat/completions',
  body: ({ prompt, stream, tools, results = [] }) => ({
    model: 'm',
    stream,
    tools: tools.map((name) => ({ type: 'function', function: { name } })),
    messages: [
      { role: 'system', content: 'be a model' },
      { role: 'user', content: prompt },
      ...(results.length > 0 ? [{ role: 'assistant', content: null, tool_calls: [] }] : []),
      ...results.map(({ id, result }) => ({ role: 'tool', tool_call_id: id, content: result })),
    ],
  }),
  hear: (json) =>
    list(json['choices']).flatMap((choice) => {
      const said = record(choice['delta'] ?? choice['message']);
      const calls = list(said['tool_calls']).map((call): Heard => {
        const { name, arguments: input } = record(call['function']);
        return { call: { id: string(call['id']), name: string(name), input: JSON.parse(string(input)) } };
      });
      return [{ reasoning: string(said['reasoning_content']), text: string(said['content']) }, ...calls];
    }),
};

const responses: Dialogue = {
  name: 'OpenAI responses',
  wire: 'responses',
  path: () => '/v1/responses',
  body: ({ prompt, stream, tools, results = [] }) => ({
    model: 'm',
    stream,
    tools: tools.map((name) => ({ type: 'function', name })),
    input: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: prompt }] },
      ...results.map(({ id, name }) => ({ type: 'function_call', call_id: id, name, arguments: '{}' })),
      ...results.map(({ id, result }) => ({ type: 'function_call_output', call_id: id, output: result })),
    ],
  }),
  hear: (json) => {
    const type = string(json['type']);
    if (type === 'response.reasoning_summary_text.delta') return [{ reasoning: string(json['delta']) }];
    if (type === 'response.output_text.delta') return [{ text: string(json['delta']) }];
    // Of a stream, the calls alone: their text came before.
    if (type === 'response.output_item.done') return heardItem(record(json['item'])).filter((one) => one.call);
    return type === '' ? list(json['output']).flatMap(heardItem) : [];
  },
};

function heardItem(item: Body): Heard[] {
  if (item['type'] === 'reasoning') return list(item['summary']).map(({ text }) => ({ reasoning: string(text) }));
  if (item['type'] === 'message') return list(item['content']).map(({ text }) => ({ text: string(text) }));
  if (item['type'] !== 'function_call') return [];
  const { call_id, name, arguments: input } = item;
  return [{ call: { id: string(call_id), name: string(name), input: JSON.parse(string(input)) } }];
}

const anthropic: Dialogue = {
  name: 'Anthropic messages',
  wire: 'messages',
  path: () => '/v1/messages',
  body: ({ prompt, stream, tools, results = [] }) => ({
    model: 'm',
    stream,
    tools: tools.map((name) => ({ name })),
    messages: [
      { role: 'user', content: prompt },
      ...(results.length === 0
        ? []
        : [
            {
              role: 'assistant',
              content: results.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
            },
            {
              role: 'user',
              content: [
                ...results.map(({ id, result }) => ({ type: 'tool_result', tool_use_id: id, content: result })),
                { type: 'text', text: '<system-reminder>for the model alone</system-reminder>' },
              ],
            },
          ]),
    ],
  }),
  hear: (json) => {
    const delta = record(json['delta']);
    const block = record(json['content_block']);
    if (block['type'] === 'tool_use') return [{ call: anthropicCall(block) }];
    if (delta['type'] === 'input_json_delta') return [{ callInput: string(delta['partial_json']) }];
    const whole = list(json['content']).map(
      (part): Heard =>
        part['type'] === 'tool_use'
          ? { call: anthropicCall(part) }
          : { reasoning: string(part['thinking']), text: string(part['text']) },
    );
    return [...whole, { reasoning: string(delta['thinking']), text: string(delta['text']) }];
  },
};

function anthropicCall({ id, name, input }: Body): Call {
  return { id: string(id), name: string(name), input };
}

const gemini: Dialogue = {
  name: 'Gemini',
  wire: 'gemini',
  path: (stream) => `/v1beta/models/m:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  body: ({ prompt, tools, results = [] }) => ({
    tools: [{ functionDeclarations: tools.map((name) => ({ name })) }],
    contents: [
      { role: 'user', parts: [{ text: prompt }] },
      ...(results.length === 0
        ? []
        : [
            { role: 'model', parts: results.map(({ name, input }) => ({ functionCall: { name, args: input } })) },
            {
              role: 'user',
              parts: results.map(({ name, result }) => ({ functionResponse: { name, response: { output: result } } })),
            },
          ]),
    ],
  }),
  hear: (json) =>
    list(json['candidates']).flatMap((candidate) =>
      list(record(candidate['content'])['parts']).map((part): Heard => {
        if (part['thought'] === true) return { reasoning: string(part['text']) };
        const { id, name, args } = record(part['functionCall']);
        return part['functionCall']
          ? { call: { id: string(id), name: string(name), input: args } }
          : { text: string(part['text']) };
      }),
    ),
};

export const dialogues: readonly Dialogue[] = [chat, responses, anthropic, gemini];
