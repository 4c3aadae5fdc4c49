import { type ConversationItem, textOf } from '../modelRequest.js';
import { type Body, data, list, nextId, pieces, record, string, type Wire } from '../wire.js';

const METHOD = /\/models\/([^/:]+):(stream)?generateContent$/i;

/** Gemini's generateContent and streamGenerateContent. */
export const gemini: Wire = {
  name: 'gemini',
  owns: (path) => METHOD.test(path),

  parse: (body, path) => {
    const [, model = '', stream] = METHOD.exec(path) ?? [];
    return {
      model,
      stream: stream !== undefined,
      tools: list(body['tools']).flatMap((tool) =>
        list(tool['functionDeclarations']).map((declaration) => string(declaration['name'])),
      ),
      items: list(body['contents']).flatMap(conversationItems),
    };
  },

  whole: ({ reasoning, text, toolCalls }, model) =>
    candidate(
      model,
      [
        ...(reasoning === '' ? [] : [thought(reasoning)]),
        ...(text === '' ? [] : [{ text }]),
        ...toolCalls.map(callPart),
      ],
      true,
    ),

  async *stream(answer, model) {
    for (const piece of pieces(answer.reasoning)) yield data(candidate(model, [thought(piece)], false));
    for await (const text of answer.textPieces) yield data(candidate(model, [{ text }], false));
    yield data(candidate(model, answer.toolCalls.length > 0 ? answer.toolCalls.map(callPart) : [{ text: '' }], true));
  },

  failure: (status, message) => ({ error: { code: status, message, status: 'INTERNAL' } }),
};

function conversationItems(content: Body): ConversationItem[] {
  const parts = list(content['parts']);
  const results = parts.flatMap(({ functionResponse }): ConversationItem[] =>
    functionResponse === undefined
      ? []
      : [{ role: 'toolResult', text: JSON.stringify(record(functionResponse)['response']) }],
  );
  const text = textOf(parts.map((part) => part['text'] ?? ''));
  if (content['role'] !== 'user') return [{ role: 'assistant', text }];
  return [...results, ...(text === '' ? [] : [{ role: 'user' as const, text }])];
}

function thought(text: string) {
  return { text, thought: true };
}

function callPart({ id, name, input }: { id: string; name: string; input: unknown }) {
  return { functionCall: { id, name, args: input } };
}

function candidate(model: string, parts: readonly object[], last: boolean) {
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, ...(last && { finishReason: 'STOP' }) }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    modelVersion: model,
    responseId: nextId('response'),
  };
}
