import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failure, hang, reasoning, slow, text, toolCall, toolCalls } from './modelReply.js';
import { ModelServer } from './modelServer.js';
import { asked, type Dialogue, dialogues } from './support/dialogues.js';

let model: ModelServer;
beforeEach(async () => {
  model = await ModelServer.start();
});
afterEach(() => model.dispose());

describe.each(dialogues)('$name', (dialogue: Dialogue) => {
  const ask = (prompt: string, stream: boolean) => asked(model.url, dialogue, { prompt, stream });

  it.each([true, false])('says text, streamed: %s', async (stream) => {
    model.enqueue(text('Hello, world! How are you?'));
    expect(await ask('hi', stream)).toMatchObject({ status: 200, text: 'Hello, world! How are you?', calls: [] });
  });

  it.each([true, false])('reasons before it speaks, streamed: %s', async (stream) => {
    model.enqueue(reasoning('I wonder about that.', 'Yes.'));
    expect(await ask('hi', stream)).toMatchObject({ reasoning: 'I wonder about that.', text: 'Yes.' });
  });

  it.each([true, false])('calls tools, then continues with their results, streamed: %s', async (stream) => {
    model.script(
      'list',
      toolCalls({ name: 'bash', input: { command: 'ls' } }, { name: 'view', input: { path: 'a' } }),
      ({ toolResults }) => text(`Seen: ${toolResults.join(', ')}`),
    );
    const first = await ask('list', stream);
    expect(first.calls).toMatchObject([
      { name: 'bash', input: { command: 'ls' } },
      { name: 'view', input: { path: 'a' } },
    ]);
    const results = first.calls.map((call, index) => ({ ...call, result: `result ${index}` }));
    const second = await asked(model.url, dialogue, { prompt: 'list', stream, results });
    expect(second.text).toContain('result 0');
    expect(second.text).toContain('result 1');
    expect(model.requests.map(({ wire, prompt, step, tools }) => ({ wire, prompt, step, tools }))).toEqual([
      { wire: dialogue.wire, prompt: 'list', step: 0, tools: ['bash', 'view'] },
      { wire: dialogue.wire, prompt: 'list', step: 1, tools: ['bash', 'view'] },
    ]);
  });

  it('fails with a status', async () => {
    model.enqueue(failure(503, 'too busy'));
    const answer = await ask('hi', true);
    expect([answer.status, answer.raw]).toEqual([503, expect.stringContaining('too busy')]);
  });

  it('takes nothing from the queue for a request without tools', async () => {
    model.enqueue(text('for the turn'));
    expect(await asked(model.url, dialogue, { prompt: 'hi', stream: false, tools: [] })).toMatchObject({
      text: 'A scripted title',
    });
    expect(await ask('hi', false)).toMatchObject({ text: 'for the turn' });
  });
});

const [dialogue] = dialogues as [Dialogue];
const ask = (prompt: string, signal?: AbortSignal) =>
  asked(model.url, dialogue, { prompt, stream: true, ...(signal && { signal }) });

it('answers from the script whose text comes last in the prompt, any number of times', async () => {
  model.script('first', text('one')).script('second', text('two'));
  expect((await ask('first and second')).text).toBe('two');
  expect((await ask('second and first')).text).toBe('one');
  expect((await ask('first')).text).toBe('one');
});

it('prefers a script to the queue, and repeats the prompt without either', async () => {
  model.script('scripted', text('from the script')).enqueue(text('from the queue'));
  expect((await ask('scripted')).text).toBe('from the script');
  expect((await ask('else')).text).toBe('from the queue');
  expect((await ask('else')).text).toBe('You said: else');
});

it('ends a turn whose script ends with a tool call', async () => {
  model.script('run', toolCall('bash', { command: 'ls' }));
  const { calls } = await ask('run');
  const results = calls.map((call) => ({ ...call, result: 'a file' }));
  expect((await asked(model.url, dialogue, { prompt: 'run', stream: true, results })).text).toBe(
    'The tool said: a file',
  );
});

it('leaves out text that agents add to a prompt', async () => {
  await ask('hello <system-reminder>be nice</system-reminder>');
  expect(model.requests[0]?.prompt).toBe('hello');
});

it.each([
  ['a slow reply', slow({ everyMs: 5 })],
  ['a hanging one', hang()],
])('notices that the caller hung up on %s', async (_what, reply) => {
  model.enqueue(reply);
  const hangUp = new AbortController();
  const asking = ask('hi', hangUp.signal).catch(() => 'hung up');
  const request = await model.request(({ prompt }) => prompt === 'hi');
  hangUp.abort();
  expect([await asking, await request.closed]).toEqual(['hung up', 'hungUp']);
});

it('reports that a request never came', async () => {
  await ask('something');
  await expect(model.request(() => false, 10)).rejects.toThrow('there were: chat (2 tools): something');
});

it('counts tokens, lists a model, and records unknown requests', async () => {
  const get = async (path: string) => (await fetch(model.url + path)).status;
  expect([await get('/v1/messages/count_tokens'), await get('/v1/models'), await get('/nothing')]).toEqual([
    200, 200, 404,
  ]);
  expect(model.unknownPaths).toEqual(['/nothing']);
});

it('frees its port while it still answers', async () => {
  model.enqueue(slow());
  const asking = ask('hi').catch(() => 'cut off');
  await model.request(() => true);
  const { url } = model;
  await model.dispose();
  expect(await asking).toBe('cut off');
  await expect(fetch(url)).rejects.toThrow();
});
