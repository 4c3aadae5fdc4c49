import { type AgentEvent, MockAgent } from '@agenthost/host';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ScriptedAgent, type ScriptedTurn } from '../support/agents/scriptedAgent.js';
import type { AhpTestClient } from '../support/ahpClient.js';
import { type AhpTestHost, ahpSubscribe, ahpTurn, startAhpHost } from '../support/ahpHost.js';

const OPTIONS = [
  { id: 'once', label: 'Allow once', kind: 'approve' },
  { id: 'no', label: 'Deny', kind: 'deny' },
] as const;
const CALL = { toolCallId: 'call', toolName: 'run', displayName: 'Run', invocationMessage: 'Run it', toolInput: 'ls' };
const REQUEST = { requestId: 'request', kind: 'permission', title: 'Sure?', message: '' } as const;

async function* ask(text: string, turn: ScriptedTurn): AsyncGenerator<AgentEvent> {
  const answered = Promise.race(['call', 'request'].map((id) => turn.answer(id)));
  if (text === 'confirm') {
    const confirmation = { options: OPTIONS };
    yield { type: 'toolStart', toolCall: { ...CALL, status: 'pendingConfirmation', confirmation } };
  } else {
    if (text === 'ask about a call') {
      yield { type: 'toolStart', toolCall: { ...CALL, status: 'running', confirmed: { how: 'notNeeded' } } };
    }
    const about = text === 'ask about a call' ? { toolCallId: 'call' } : {};
    const offered = text === 'ask without options' ? {} : { options: OPTIONS };
    yield { type: 'permissionRequest', request: { ...REQUEST, ...about, ...offered } };
  }
  const { approved } = await answered;
  yield { type: 'text', text: approved ? 'approved' : 'denied' };
}

let host: AhpTestHost;
beforeAll(async () => {
  const script = ({ text }: { readonly text: string }, turn: ScriptedTurn) => ask(text, turn);
  const agents = [new ScriptedAgent({ provider: 'asks', displayName: 'Asks', script }), new MockAgent()];
  host = await startAhpHost({}, { agents });
});
afterAll(() => host.dispose());

async function asked(text: string) {
  const client = await host.client(`asked-${crypto.randomUUID()}`);
  const session = `asks:/${crypto.randomUUID()}`;
  await client.request('createSession', { channel: session, provider: 'asks' });
  const { chat } = await ahpSubscribe(client, session);
  const turn = ahpTurn(text);
  const sent = await client.act(chat, turn);
  if (sent.rejectionReason) {
    await client.action('session/ready');
    expect(await client.act(chat, turn)).not.toHaveProperty('rejectionReason');
  }
  return { client, chat, turnId: turn.turnId };
}

const answerText = async (client: AhpTestClient) => (await client.action('chat/delta')).action.content;

it.each([
  ['an approval that names a denying option', 'confirm', { approved: true, selectedOptionId: 'no' }, 'opposite'],
  ['an option that was not offered', 'confirm', { approved: true, selectedOptionId: 'always' }, 'unknown option'],
  ['an edit of what is not editable', 'confirm', { approved: true, editedToolInput: 'rm -rf /' }, 'not editable'],
  [
    'an edit of a call that a question is about',
    'ask about a call',
    { approved: true, editedToolInput: 'rm' },
    'not editable',
  ],
  [
    'an unknown option for such a question',
    'ask about a call',
    { approved: true, selectedOptionId: 'always' },
    'unknown option',
  ],
])(
  'a call: %s is refused with the reason, and the call can be answered after that',
  async (_what, text, answer, reason) => {
    const { client, chat, turnId } = await asked(text);
    const isAsked = ({ action }: { action: { options?: unknown } }) => action.options !== undefined;
    const { action } = await client.action('chat/toolCallReady', isAsked);
    const confirmed = {
      type: 'chat/toolCallConfirmed',
      turnId,
      toolCallId: action.toolCallId,
      confirmed: 'user-action',
    };
    expect((await client.act(chat, { ...confirmed, ...answer })).rejectionReason).toContain(reason);
    expect(await client.act(chat, { ...confirmed, approved: true, selectedOptionId: 'once' })).not.toHaveProperty(
      'rejectionReason',
    );
    expect(await answerText(client)).toBe('approved');
  },
);

it('a waiting call has its message as Markdown and its input, which VS Code needs to show it', async () => {
  const { client } = await asked('confirm');
  const { action } = await client.action('chat/toolCallReady');
  expect(action).toMatchObject({ invocationMessage: { markdown: 'Run it' }, toolInput: 'ls', options: OPTIONS });
});

it.each([
  ['a choice that was not offered', 'ask', { kind: 'selected', value: 'always' }],
  [
    'a choice that was not offered, where the gateway offers its own',
    'ask without options',
    { kind: 'selected', value: 'always' },
  ],
  ['text where none is taken', 'ask', { kind: 'text', value: 'yes' }],
  [
    'text beside a choice where none is taken',
    'ask',
    { kind: 'selected', value: 'once', freeformValues: ['and this'] },
  ],
])('a question: %s is refused, and the question can be answered after that', async (_what, text, value) => {
  const { client, chat } = await asked(text);
  const { action } = await client.action('chat/inputRequested');
  const completed = { type: 'chat/inputCompleted', requestId: action.request.id, response: 'accept' };
  const wrong = await client.act(chat, { ...completed, answers: { answer: { state: 'submitted', value } } });
  expect(wrong.rejectionReason).toMatch(/^(unknown option|this question takes no text)$/);
  const deny = { kind: 'selected', value: text === 'ask' ? 'no' : 'deny' };
  const right = await client.act(chat, { ...completed, answers: { answer: { state: 'submitted', value: deny } } });
  expect(right).not.toHaveProperty('rejectionReason');
  expect(await answerText(client)).toBe('denied');
});

it('a form is a question for each field; a required secret is not asked here', async () => {
  const client = await host.client(`form-${crypto.randomUUID()}`);
  const asking = async (text: string) => {
    const { chat } = await ahpSubscribe(client, await mockSession(client));
    await client.act(chat, ahpTurn(text));
    const { request } = (await client.action('chat/inputRequested')).action;
    return { chat, request, completed: { type: 'chat/inputCompleted', requestId: request.id, response: 'accept' } };
  };
  const { chat, request, completed } = await asking('form');
  expect(request.questions).toMatchObject([
    {
      id: 'flow',
      kind: 'single-select',
      required: true,
      options: [{ id: 'redirect' }, { id: 'embedded' }, { id: 'both' }],
    },
    { id: 'button', kind: 'text' },
  ]);
  expect(request.questions[1]).not.toHaveProperty('required');
  const flow = (value: string) => ({ state: 'submitted', value: { kind: 'selected', value } });
  const wrong = await client.act(chat, { ...completed, answers: { flow: flow('free') } });
  expect(wrong.rejectionReason).toMatch(/^the answer does not fit the form: flow/);
  const button = { state: 'submitted', value: { kind: 'text', value: 'Pay now' } };
  const right = await client.act(chat, { ...completed, answers: { flow: flow('both'), button } });
  expect(right).not.toHaveProperty('rejectionReason');
  expect(await answerText(client)).toBe('You answered: {"flow":"both","button":"Pay now"}');
  const secret = await asking('form all');
  expect(secret.request.questions).toMatchObject([{ kind: 'single-select', options: [{ label: 'Skip' }] }]);
  await client.act(secret.chat, { ...secret.completed, answers: {} });
  expect(await answerText(client)).toBe('You skipped it, so I decide.');
});

async function mockSession(client: AhpTestClient): Promise<string> {
  const session = `mock:/${crypto.randomUUID()}`;
  await client.request('createSession', { channel: session, provider: 'mock' });
  return session;
}
