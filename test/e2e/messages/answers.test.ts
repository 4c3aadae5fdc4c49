import type { AgentEvent } from '@agenthost/host';
import type { ConfirmationOption, PermissionRequest, ToolConfirmation } from '@agenthost/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScriptedAgent, type ScriptedTurn } from '../../support/agents/scriptedAgent.js';
import type { RawClient } from '../../support/rawClient.js';
import { startTestHost, type TestHost } from '../../support/testHost.js';

const OPTIONS: readonly ConfirmationOption[] = [
  { id: 'once', label: 'Allow once', kind: 'approve' },
  { id: 'no', label: 'Deny', kind: 'deny' },
];

/** What the agent asks for each message, by the message's text. */
const CONFIRMATIONS: Readonly<Record<string, ToolConfirmation>> = {
  call: { title: 'Run it?', options: OPTIONS },
  'bare call': {},
  'editable call': { options: OPTIONS, editable: true },
};
const REQUESTS: Readonly<Record<string, Omit<PermissionRequest, 'requestId'>>> = {
  permission: { kind: 'permission', title: 'Read it?', message: '', options: OPTIONS },
  'bare permission': { kind: 'permission', title: 'Read it?', message: '' },
  question: {
    kind: 'question',
    title: 'Which colour?',
    message: '',
    options: [
      { id: 'red', label: 'Red' },
      { id: 'blue', label: 'Blue' },
    ],
  },
  'open question': { kind: 'question', title: 'Why?', message: '', allowText: true },
};

async function* ask(text: string, turn: ScriptedTurn): AsyncGenerator<AgentEvent> {
  const [confirmation, request] = [CONFIRMATIONS[text], REQUESTS[text]];
  const answered = turn.answer('asked');
  if (confirmation) {
    const shown = {
      toolCallId: 'asked',
      toolName: 'run',
      displayName: 'Run',
      invocationMessage: 'Run it',
      toolInput: 'ls',
    };
    yield { type: 'toolStart', toolCall: { ...shown, status: 'pendingConfirmation', confirmation } };
  }
  if (request) yield { type: 'permissionRequest', request: { ...request, requestId: 'asked' } };
  const { approved, optionId = 'none', editedToolInput = 'none', text: said = 'none' } = await answered;
  yield { type: 'text', text: `approved=${approved} option=${optionId} edited=${editedToolInput} text=${said}` };
}

describe('[VAL5] answers that do not fit their question', () => {
  let host: TestHost;
  let alice: RawClient;
  let bob: RawClient;

  beforeAll(async () => {
    const script = ({ text }: { readonly text: string }, turn: ScriptedTurn) => ask(text, turn);
    host = await startTestHost({ agents: [new ScriptedAgent({ provider: 'asks', displayName: 'Asks', script })] });
    [alice, bob] = [await host.raw('alice'), await host.raw('bob')];
  });
  afterAll(() => host.dispose());

  /** Has the agent ask; gives what an answer has to begin with. */
  async function asked(text: string) {
    const session = `asks:/${crypto.randomUUID()}`;
    await alice.request('createSession', { session });
    await bob.request('subscribe', { resource: session });
    const { state } = await alice.request<{ state: { lifecycle: string } }>('subscribe', { resource: session });
    if (state.lifecycle === 'creating') await alice.nextAction(session, 'session/ready');
    await alice.act({ session, type: 'session/turnStarted', turnId: 't', userMessage: { text } });
    if (CONFIRMATIONS[text]) {
      const { toolCall } = await alice.nextAction(session, 'session/toolStart');
      return { session, type: 'session/toolCallConfirmed', turnId: 't', toolCallId: toolCall.toolCallId };
    }
    const { request } = await alice.nextAction(session, 'session/permissionRequest');
    return { session, type: 'session/permissionResolved', turnId: 't', requestId: request.requestId };
  }

  async function answerText(session: string): Promise<string> {
    const { content } = await alice.nextAction(session, 'session/delta');
    return content;
  }

  const UNKNOWN = 'unknown option';
  const OPPOSITE = 'the option says the opposite of "approved"';
  const NOT_EDITABLE = 'the input of this tool call is not editable';
  const NO_TEXT = 'this question takes no text';

  it.each([
    ['an approval that names a denying option', 'call', { approved: true, optionId: 'no' }, OPPOSITE],
    ['a denial that names an approving option', 'call', { approved: false, optionId: 'once' }, OPPOSITE],
    ['an option that was not offered', 'call', { approved: true, optionId: 'always' }, UNKNOWN],
    ['an option that objects inherit', 'call', { approved: true, optionId: 'toString' }, UNKNOWN],
    ['an option where none was offered', 'bare call', { approved: true, optionId: 'once' }, UNKNOWN],
    ['an edit of a call that is not editable', 'call', { approved: true, editedToolInput: 'rm -rf /' }, NOT_EDITABLE],
    [
      'an edit together with a fitting option',
      'call',
      { approved: true, optionId: 'once', editedToolInput: 'x' },
      NOT_EDITABLE,
    ],
    ['an empty edit', 'bare call', { approved: true, editedToolInput: '' }, NOT_EDITABLE],
    ['an approved permission with a denying option', 'permission', { approved: true, optionId: 'no' }, OPPOSITE],
    ['a denied permission with an approving option', 'permission', { approved: false, optionId: 'once' }, OPPOSITE],
    ['an unknown option of a permission', 'permission', { approved: true, optionId: 'always' }, UNKNOWN],
    ['an option of a permission without options', 'bare permission', { approved: false, optionId: 'no' }, UNKNOWN],
    ['text for a permission', 'permission', { approved: true, text: 'yes' }, NO_TEXT],
    ['text for a question without allowText', 'question', { approved: true, text: 'green' }, NO_TEXT],
    ['text beside an option', 'question', { approved: true, optionId: 'red', text: 'or green' }, NO_TEXT],
    ['a choice that is called no answer', 'question', { approved: false, optionId: 'red' }, OPPOSITE],
    ['an option of a question that takes only text', 'open question', { approved: true, optionId: 'red' }, UNKNOWN],
  ])('rejects %s, and the question stays open', async (_what, text, answer, reason) => {
    const question = await asked(text);
    const { session } = question;
    const before = await alice.stateOf(session);
    expect((await alice.act({ ...question, ...answer })).rejectionReason).toBe(reason);
    const after = await alice.stateOf(session);
    expect(after.activeTurn).toEqual(before.activeTurn);
    expect([before.summary.status, after.summary.status]).toEqual(['inputNeeded', 'inputNeeded']);
    // Another client can still answer it.
    expect((await bob.act({ ...question, approved: false })).rejectionReason).toBeUndefined();
    expect(await answerText(session)).toBe('approved=false option=none edited=none text=none');
  });

  it.each([
    ['call', { approved: true, optionId: 'once' }, 'approved=true option=once edited=none text=none'],
    ['call', { approved: false, optionId: 'no', reason: 'not now' }, 'approved=false option=no edited=none text=none'],
    ['call', { approved: true }, 'approved=true option=none edited=none text=none'],
    ['bare call', { approved: true }, 'approved=true option=none edited=none text=none'],
    ['editable call', { approved: true, editedToolInput: 'ls -l' }, 'approved=true option=none edited=ls -l text=none'],
    ['permission', { approved: true, optionId: 'once' }, 'approved=true option=once edited=none text=none'],
    ['bare permission', { approved: true }, 'approved=true option=none edited=none text=none'],
    ['question', { approved: true, optionId: 'blue' }, 'approved=true option=blue edited=none text=none'],
    ['question', { approved: false }, 'approved=false option=none edited=none text=none'],
    ['open question', { approved: true, text: 'because' }, 'approved=true option=none edited=none text=because'],
  ])('accepts a fitting answer to "%s": %j', async (text, answer, told) => {
    const question = await asked(text);
    expect((await alice.act({ ...question, ...answer })).rejectionReason).toBeUndefined();
    expect(await answerText(question.session)).toBe(told);
  });
});
