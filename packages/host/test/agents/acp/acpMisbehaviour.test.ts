import { describe, expect, it } from 'vitest';
import { isGone, processesIn } from '../support/processes.js';
import { openOptions, openSession } from '../support/sessions.js';
import { stubAgent, stubSpec } from './support.js';

/** The error that the prompt's turn ended with; afterwards a fresh session of the same agent works. */
async function failureOf(prompt: string, options: Parameters<typeof stubAgent>[1] = {}) {
  const agent = await stubAgent({}, options);
  const { session, recorder, cwd } = await openSession(agent);
  await session.send({ text: prompt });
  const end = await recorder.end();
  expect(recorder.events.filter(({ type }) => type === 'idle' || type === 'error')).toHaveLength(1);
  await session.dispose();
  expect(await processesIn(cwd)).toEqual([]);
  const next = await openSession(agent);
  await next.session.send({ text: 'hello' });
  expect((await next.recorder.end()).type).toBe('idle');
  return end.type === 'error' ? end.error : undefined;
}

describe('an agent that misbehaves ends its own turn with a readable error', () => {
  it('when it crashes: with its last output, without colours', async () => {
    expect(await failureOf('crash')).toEqual({
      errorType: 'agentEnded',
      message: 'Stub ended unexpectedly (exit code 3). It said last:\nboom: the stub was told to crash',
    });
  });

  it('when it is silent', async () => {
    expect(await failureOf('silent', { silenceMs: 300 })).toMatchObject({
      errorType: 'agentSilent',
      message: expect.stringContaining('Stub has said nothing for 0.3 s. It was ended.'),
    });
  });

  it('but not while it waits for an answer or runs a tool', async () => {
    const { session, recorder } = await openSession(await stubAgent({}, { silenceMs: 200 }));
    await session.send({ text: 'unannounced sleep 0.7; echo done' });
    const { toolCall } = await recorder.nth('toolStart');
    await new Promise((resolve) => setTimeout(resolve, 600));
    session.answer(toolCall.toolCallId, { approved: true });
    expect((await recorder.end()).type).toBe('idle');
    expect(recorder.output()).toBe('done\n');
  });

  it('when it runs a tool silently for far too long', async () => {
    expect(await failureOf('silent-tool', { silenceMs: 100, toolSilenceMs: 400 })).toMatchObject({
      errorType: 'agentSilent',
      message: expect.stringContaining('Stub has said nothing for 0.4 s while it ran a tool. It was ended.'),
    });
  });

  it('when it sends bytes without a newline, or only newlines', async () => {
    expect(await failureOf('flood-bytes')).toMatchObject({
      errorType: 'agentFloods',
      message: expect.stringContaining('Stub sent a message of more than 16 MiB. It was ended.'),
    });
    expect(await failureOf('flood-bytes newlines')).toMatchObject({
      errorType: 'agentFloods',
      message: expect.stringContaining('Stub sent more than 64 MiB in one turn. It was ended.'),
    });
  });

  it('when it floods', async () => {
    expect(await failureOf('flood 100')).toMatchObject({
      errorType: 'agentFloods',
      message: expect.stringContaining('Stub sent more than 64 MiB in one turn. It was ended.'),
    });
  });

  it('when it sends one endless message', async () => {
    expect(await failureOf('flood-line 100')).toMatchObject({
      errorType: 'agentFloods',
      message: expect.stringContaining('Stub sent a message of more than 16 MiB. It was ended.'),
    });
  });

  it('when it asks endless questions', async () => {
    expect(await failureOf('flood-questions')).toMatchObject({
      errorType: 'agentFloods',
      message: expect.stringContaining('asked more than 100 questions at once'),
    });
  });

  it('when it sends invalid messages', async () => {
    expect(await failureOf('garbage')).toMatchObject({
      errorType: 'agentSpeaksGarbage',
      message: expect.stringContaining('Stub does not speak the Agent Client Protocol: it said "this is no message 0"'),
    });
  });

  it('when it fails, is not logged in, or does not stop', async () => {
    expect(await failureOf('error')).toEqual({
      errorType: 'agentError',
      message: 'Stub answered with an error: Internal error (the stub was told to fail)',
    });
    expect(await failureOf('auth')).toEqual({
      errorType: 'authRequired',
      message: 'Stub needs a log-in. Set STUB_KEY.',
    });
    const { session, recorder } = await openSession(await stubAgent({}, { cancelMs: 300 }));
    await session.send({ text: 'stubborn' });
    await recorder.nth('text');
    await session.abort();
    expect(await recorder.end()).toMatchObject({ type: 'error', error: { errorType: 'agentDidNotStop' } });
  });

  it('but a few invalid messages are harmless', async () => {
    const { session, recorder } = await openSession(await stubAgent());
    await session.send({ text: 'odd' });
    expect((await recorder.end()).type).toBe('idle');
    expect(recorder.text()).toBe('still here');
  });
});

describe('an agent that does not start', () => {
  it.each([
    ['crash', 'Stub ended unexpectedly (exit code 7). It said last:\nthe stub can not start: no licence'],
    ['garbage', 'Stub does not speak the Agent Client Protocol: it said "Hello! I am a web server."'],
    ['silent', 'Stub did not answer within 1 s. It was ended.'],
    ['auth', 'Stub needs a log-in. Set STUB_KEY. It offers: A key (Set STUB_KEY).'],
  ])('fails with the reason: %s', async (start, message) => {
    const options = await openOptions();
    const agent = await stubAgent({ STUB_START: start }, start === 'silent' ? { startTimeoutMs: 1_000 } : {});
    await expect(agent.openSession(options)).rejects.toThrow(message);
    expect(await processesIn(options.cwd)).toEqual([]);
  });

  it('fails when it has another version, or is missing', async () => {
    const agent = await stubAgent({ STUB_VERSION: '9' });
    await expect(agent.openSession(await openOptions())).rejects.toThrow('speaks version 9 of the protocol');
    const missing = await stubAgent({}, { spec: { ...stubSpec(), command: 'no-such-agent' } });
    await expect(missing.openSession(await openOptions())).rejects.toThrow(
      'Stub can\'t be started. The program no-such-agent was not found. Install it, or correct "command" in agents.json.',
    );
  });

  it('leaves no process when it is stopped while it starts', async () => {
    const options = await openOptions();
    const stop = new AbortController();
    const agent = await stubAgent({ STUB_START: 'silent' });
    const opening = agent.openSession({ ...options, signal: stop.signal });
    await expect.poll(() => processesIn(options.cwd), { timeout: 10_000 }).toHaveLength(1);
    stop.abort(new Error('enough'));
    await expect(opening).rejects.toThrow('enough');
    expect(await processesIn(options.cwd)).toEqual([]);
  });
});

it('sends nothing while it is paused, and everything afterwards', async () => {
  const agent = await stubAgent();
  const [waiting, free] = [await openSession(agent), await openSession(agent)];
  const stop = waiting.session.onEvent(() => {
    stop.dispose();
    waiting.session.pause?.();
  });
  await waiting.session.send({ text: 'flood 30' });
  await free.session.send({ text: 'flood 30' });
  // By then the other one would have said everything as well.
  expect((await free.recorder.end()).type).toBe('idle');
  expect(waiting.recorder.text().length).toBeLessThan(2 * 1024 * 1024);
  waiting.session.resume?.();
  expect((await waiting.recorder.end()).type).toBe('idle');
  expect(waiting.recorder.text().length).toBe(30 * 1024 * 1024);
  // And it can be stopped while it waits.
  await waiting.session.send({ text: 'flood 30' });
  await waiting.recorder.until('the next turn', () => waiting.recorder.text().length > 30 * 1024 * 1024);
  waiting.session.pause?.();
  await waiting.session.dispose();
  expect(await processesIn(waiting.cwd)).toEqual([]);
});

it('ends processes that an agent left running, even outside of its group', async () => {
  const { session, recorder } = await openSession(await stubAgent());
  await session.send({ text: 'orphan' });
  await recorder.end();
  const pid = Number(recorder.text());
  expect(isGone(pid)).toBe(false);
  await session.dispose();
  expect(isGone(pid)).toBe(true);
});
