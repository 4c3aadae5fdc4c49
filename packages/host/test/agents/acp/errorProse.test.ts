import { describe, expect, it } from 'vitest';
import { openSession } from '../support/sessions.js';
import { stubAgent } from './support.js';

const FORWARDED = 'API Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"Slow down."}}';
const NONE = { usage: { inputTokens: 0, outputTokens: 0 } };

const said = (...texts: string[]) =>
  texts.map((text) => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }));
const call = { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'Look', kind: 'read', status: 'completed' };
const thought = { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'Hm.' } };

async function endOf(updates: readonly object[], end?: object) {
  const { session, recorder } = await openSession(await stubAgent());
  await session.send({ text: `end-with ${JSON.stringify({ updates, end })}` });
  const last = await recorder.end();
  return { last, recorder };
}

async function errorOf(updates: readonly object[], end?: object): Promise<unknown> {
  const { last } = await endOf(updates, end);
  return last.type === 'error' ? last.error : last.type;
}

describe('a turn that an agent calls a success', () => {
  it.each([
    ['the words of a rate limit, and nothing was written by a model', said('API Error: Rate limit reached'), NONE],
    ['a rate limit in parentheses', said('API Error: Request rejected (429) · Rate limited.'), NONE],
    ['a forwarded error, whatever was counted', said(FORWARDED.slice(0, 20), FORWARDED.slice(20)), undefined],
    ['a forwarded error after other work', [...said('I look.'), call, ...said(`\n${FORWARDED}\n`)], undefined],
    ['a forwarded error after a thought', [...said('So:'), thought, ...said(FORWARDED)], undefined],
  ])('has failed, if it ended with %s', async (_, updates, end) => {
    expect(await errorOf(updates, end)).toEqual({
      errorType: 'rateLimited',
      message: expect.stringMatching(/^Stub's model provider limits its requests( \(429\))?\. Try again later\.$/),
    });
  });

  it('has failed, if it ended with another error', async () => {
    expect(await errorOf(said('API Error: 500 {"type":"error","error":{"type":"api_error"}}'))).toEqual({
      errorType: 'modelFailed',
      message: "Stub's model provider answered with an error (500), shown above.",
    });
    expect(await errorOf(said('API Error: Connection error.'), NONE)).toMatchObject({ errorType: 'modelFailed' });
    expect(await errorOf(said('I will not.'), { stopReason: 'refusal' })).toMatchObject({
      message: 'Stub refused to continue. Ask in other words, or start a new session.',
    });
    expect(await errorOf([], { stopReason: 'error' })).toMatchObject({ errorType: 'agentError' });
  });

  it.each([
    ['an answer about such an error', said('API Error: 429 means that you sent too many requests.')],
    ['an answer that quotes one', said(`The log has:\n\n${FORWARDED}`)],
    ['words after it', said(`${FORWARDED}\n\nThat is what the server said.`)],
    ['a broken one', said(`${FORWARDED.slice(0, -1)}`)],
    ['one that was answered by more work', [...said(FORWARDED), call, ...said('Now it works.')]],
    ['a status that is no error', said('API Error: 200 {"error":{}}')],
    ['JSON without an error', said('API Error: 429 {"fine":true}')],
    ['very many characters', said(`API Error: 429 {"error":{"message":"${'x'.repeat(10_000)}"}}`)],
    ['other words and no tokens', said('Done.'), NONE],
    ['the words without a count', said('API Error: Rate limit reached'), { usage: undefined }],
  ])('is one, if it ended with %s', async (_, updates, end?: object) => {
    expect(await errorOf(updates, end)).toBe('idle');
  });
});

it('a sub-agent that ended with a forwarded error has failed, a program that printed one has not', async () => {
  const ended = (toolCallId: string, kind: string) => ({
    sessionUpdate: 'tool_call',
    toolCallId,
    title: 'Look for it',
    kind,
    status: 'completed',
    content: [{ type: 'content', content: { type: 'text', text: FORWARDED } }],
  });
  const { recorder, last } = await endOf([ended('a', 'think'), ended('b', 'read'), ...said('Well.')]);
  expect(last.type).toBe('idle');
  expect(recorder.of('toolComplete').map(({ result }) => result)).toMatchObject([
    { success: false, error: { message: FORWARDED } },
    { success: true },
  ]);
});
