import type { Role, SessionState } from '@agenthost/protocol';
import type { PushedQuestion } from '@agenthost/protocol/internal';
import { SCHEMAS } from '@agenthost/protocol/schemas';
import { describe, expect, it } from 'vitest';
import { attentionOf, type Question } from '../../src/push/attention.js';
import { questionMessage, questionTag } from '../../src/push/pushMessage.js';

const SUMMARY = { resource: 'mock:/s1', title: 'A title', status: 'inputNeeded' } as SessionState['summary'];

type Call = Record<string, unknown>;

/** A state with these open questions. */
function state(
  toolCalls: Record<string, Call>,
  pendingPermissions: Record<string, Call> = {},
  id = 't1',
): SessionState {
  const isAsked = Object.keys(toolCalls).length + Object.keys(pendingPermissions).length > 0;
  const activeTurn = { id, toolCalls, pendingPermissions };
  return {
    summary: { ...SUMMARY, status: isAsked ? 'inputNeeded' : 'inProgress' },
    activeTurn,
    turns: [],
  } as unknown as SessionState;
}

const call = (toolInput: string | undefined, more: Call = {}): Call => ({
  toolCallId: 'c1',
  displayName: 'Run',
  invocationMessage: 'Running it',
  status: 'pendingConfirmation',
  confirmation: {},
  ...(toolInput !== undefined && { toolInput }),
  ...more,
});

function asked(question: Call): Question {
  const isCall = 'toolCallId' in question;
  const after = isCall ? state({ c1: question }) : state({}, { r1: question });
  const [found] = attentionOf(state({}), after)?.opened ?? [];
  if (!found) throw new Error('nothing was asked');
  return found;
}

function pushed(question: Call, role: Role = 'owner', summary = SUMMARY): PushedQuestion {
  const text = questionMessage(summary, asked(question), role);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(3_072);
  const message = JSON.parse(text) as PushedQuestion;
  expect(SCHEMAS.PushMessage.parse(message)).toEqual(message);
  return message;
}

const request = (more: Call = {}): Call => ({
  requestId: 'r1',
  kind: 'permission',
  title: 'Read it?',
  message: 'A file',
  ...more,
});

describe('what is pushed of a question', () => {
  it('has answers for those who may give them', () => {
    expect(pushed(call('make'), 'viewer').answer).toBeUndefined();
    expect(pushed(call('make'), 'approver').answer).toEqual({
      turnId: 't1',
      toolCallId: 'c1',
      allow: true,
      deny: true,
    });
    expect(pushed(request(), 'approver').answer).toEqual({ turnId: 't1', requestId: 'r1', allow: true, deny: true });
  });

  it('lets nobody allow what is not shown whole', () => {
    const none = { turnId: 't1', toolCallId: 'c1', deny: true };
    expect(pushed(call('x'.repeat(300))).answer).toEqual(none);
    expect(pushed(call('make', { toolInputRef: { uri: 'mock://s1/c' } })).answer).toEqual(none);
    expect(pushed(call(undefined)).answer).toEqual(none);
    expect(pushed(call('\u202e'.repeat(100))).answer).toEqual(none);
    expect(pushed(call('x'.repeat(300))).text).toMatch(/…$/);
  });

  it('lets nobody allow what takes a choice, or trust a folder', () => {
    const lasting = { options: [{ id: 'always', label: 'Always', kind: 'approve', explicit: true }] };
    expect(pushed(call('make', { confirmation: lasting })).answer).not.toHaveProperty('allow');
    expect(pushed(request({ kind: 'question' })).answer).toBeUndefined();
    const trust = asked({ ...request(), requestId: 'trust-1' });
    expect(JSON.parse(questionMessage(SUMMARY, trust, 'owner')).answer).not.toHaveProperty('allow');
  });

  it('writes out what can not be seen, so that a command reads as it runs', () => {
    expect(pushed(call('rm \u202e\u0007x')).text).toBe('Run\nrm [U+202E][U+0007]x');
  });

  it('is bounded whatever the agent and the client chose', () => {
    const longIds = call('\ud800'.repeat(240), { toolCallId: '\u4e2d'.repeat(256) });
    const summary = { ...SUMMARY, title: '\udfff'.repeat(1_000), resource: `mock:/${'\u4e2d'.repeat(500)}` };
    expect(pushed(longIds, 'owner', summary).answer).toBeUndefined();
    expect(pushed(call('make'), 'owner', { ...SUMMARY, resource: `mock:/${'x'.repeat(4_000)}` })).not.toHaveProperty(
      'session',
    );
  });

  it('has a tag that only this question has, and that fits into a topic', () => {
    const tags = [call('a'), request()].map((one) => questionTag(SUMMARY, asked(one)));
    expect(new Set(tags).size).toBe(2);
    for (const tag of tags) expect(tag).toMatch(/^[\w-]{32}$/);
    expect(questionTag({ ...SUMMARY, resource: 'mock:/s2' }, asked(call('a')))).not.toBe(tags[0]);
  });
});

describe('what counts as news', () => {
  it('is nothing while text is streamed, also while a question is open', () => {
    const before = state({ c1: call('make') });
    const after = { ...before, activeTurn: { ...before.activeTurn, responseParts: [] } } as unknown as SessionState;
    expect(attentionOf(before, after)).toBeUndefined();
    expect(attentionOf(state({}), state({}))).toBeUndefined();
  });

  it('is each question once, and its end with the name of who answered', () => {
    const one = state({ c1: call('make') });
    const two = state({ c1: call('make'), c2: call('ls', { toolCallId: 'c2' }) });
    expect(attentionOf(one, two)?.opened.map(({ toolCallId }) => toolCallId)).toEqual(['c2']);
    const confirmed = { how: 'user', by: { clientId: 'a', name: 'Ann' } };
    const answered = state({
      c1: { ...call('make'), status: 'running', confirmed },
      c2: call('ls', { toolCallId: 'c2' }),
    });
    expect(attentionOf(two, answered)?.closed.map(({ toolCallId, by }) => [toolCallId, by])).toEqual([['c1', 'Ann']]);
    // Taken back, because it could not be stored: nobody has answered.
    expect(attentionOf(one, state({}))?.closed.map(({ by }) => by)).toEqual([undefined]);
  });
});
