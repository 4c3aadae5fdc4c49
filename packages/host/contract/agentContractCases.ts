import type { Agent, AgentSession, OpenSessionOptions } from '@agenthost/host';
import type { AgentContractOptions, AgentContractPrompts } from './agentContract.js';
import {
  ask,
  ended,
  expectEqual,
  expectRejected,
  lastType,
  quiet,
  runApproved,
  startEndless,
} from './agentContractSteps.js';
import { EventRecorder } from './eventRecorder.js';

export interface ContractContext extends AgentContractOptions {
  readonly agent: Agent;
  open(change?: Partial<OpenSessionOptions>): Promise<{ session: AgentSession; recorder: EventRecorder; cwd: string }>;
}

type Check = (context: ContractContext) => Promise<void>;

const ABORT_MS = 5_000;

export function casesFor(prompts: AgentContractPrompts): Record<string, Check> {
  const { reasoning, permission, error, crash, resume, tool } = prompts;
  return {
    ...always,
    ...(tool.edited !== undefined && { 'runs the edited input': runsEdited(tool.edited, tool.prints ?? '') }),
    ...(tool.edited === undefined && { 'runs nothing when another input was approved': runsNothingEdited }),
    ...(reasoning !== undefined && { 'reports reasoning': textOf(reasoning, 'reasoning') }),
    ...(permission !== undefined && {
      'continues after the first answer to a request': permissionAnswered(permission),
    }),
    ...(error !== undefined && { 'reports a failure as one error event': fails(error) }),
    ...(crash !== undefined && { 'reports its death as one error event': fails(crash) }),
    ...(resume !== undefined && { 'resumes by its native id': resumes(resume) }),
  };
}

const always: Readonly<Record<string, Check>> = {
  'reports text, then idle, and nothing after it': (context) => textOf(context.prompts.text, 'text')(context),

  'accepts one message after the other': async ({ open, prompts }) => {
    const { session, recorder } = await open();
    for (let turn = 1; turn <= 3; turn++) {
      await session.send({ text: prompts.text });
      expectEqual((await recorder.end(turn)).type, 'idle');
    }
  },

  'runs an approved tool once, whatever is answered later': async ({ open, prompts }) => {
    const { session, recorder } = await open();
    const toolCallId = await ask(session, recorder, prompts.tool.prompt);
    session.answer('unknown', { approved: false });
    session.answer('__proto__', { approved: false });
    session.answer(toolCallId, { approved: true });
    session.answer(toolCallId, { approved: false });
    await ended(recorder);
    session.answer(toolCallId, { approved: true });
    await quiet();
    expectEqual(
      recorder.of('toolComplete').map((event) => [event.toolCallId, event.result.success]),
      [[toolCallId, true]],
    );
    expectEqual(lastType(recorder), 'idle');
  },

  'does not run a denied tool, whatever is answered later': async ({ open, prompts }) => {
    const { session, recorder } = await open();
    const toolCallId = await ask(session, recorder, prompts.tool.prompt);
    session.answer(toolCallId, { approved: false, reason: 'no' });
    session.answer(toolCallId, { approved: true });
    expectEqual((await ended(recorder)).type, 'idle');
    expectEqual([recorder.of('toolComplete'), recorder.output()], [[], '']);
  },

  'asks again in the next turn after "once"': async ({ open, prompts }) => {
    const { session, recorder } = await open();
    for (let turn = 1; turn <= 2; turn++) {
      const toolCallId = await ask(session, recorder, prompts.tool.prompt, turn);
      session.answer(toolCallId, { approved: true, optionId: 'once' });
      await recorder.end(turn);
    }
    const ids = recorder.of('toolStart').map(({ toolCall }) => toolCall.toolCallId);
    expectEqual(new Set(ids).size, 2);
  },

  'is idle within five seconds after an abort mid-stream': async ({ open, prompts }) => {
    const { session, recorder } = await open();
    await startEndless(session, recorder, prompts.endless);
    const before = Date.now();
    await session.abort();
    await ended(recorder);
    expectEqual(Date.now() - before < ABORT_MS, true);
    await session.send({ text: prompts.text });
    expectEqual((await recorder.end(2)).type, 'idle');
  },

  'is idle after an abort while it waits for an answer': async ({ open, prompts }) => {
    const { session, recorder } = await open();
    const toolCallId = await ask(session, recorder, prompts.tool.prompt);
    await session.abort();
    await ended(recorder);
    session.answer(toolCallId, { approved: true });
    await quiet();
    expectEqual([recorder.of('toolComplete'), recorder.output(), lastType(recorder)], [[], '', 'idle']);
  },

  'survives an abort when no turn runs': async ({ open, prompts }) => {
    const { session, recorder } = await open();
    await session.abort();
    await session.send({ text: prompts.text });
    await ended(recorder);
    await session.abort();
    await quiet();
    expectEqual(recorder.events.filter(({ type }) => type === 'idle').length, 1);
  },

  'leaves no process and no events when it is disposed during a turn': async ({ open, prompts, processes }) => {
    const { session, recorder, cwd } = await open();
    await startEndless(session, recorder, prompts.endless);
    const disposing = session.dispose();
    const before = recorder.events.length;
    await Promise.all([disposing, session.dispose()]);
    await quiet();
    expectEqual([recorder.events.length - before, (await processes?.(cwd)) ?? []], [0, []]);
    await expectRejected(session.send({ text: prompts.text }));
  },

  'leaves nothing when it is disposed while it waits for an answer': async ({ open, prompts }) => {
    const { session, recorder } = await open();
    const toolCallId = await ask(session, recorder, prompts.tool.prompt);
    const before = recorder.events.length;
    await session.dispose();
    session.answer(toolCallId, { approved: true });
    await quiet();
    expectEqual(recorder.events.length, before);
  },

  'ends its sessions when the agent is disposed': async ({ agent, open, prompts, processes }) => {
    const { session, recorder, cwd } = await open();
    await startEndless(session, recorder, prompts.endless);
    await agent.dispose();
    const before = recorder.events.length;
    await quiet();
    expectEqual([recorder.events.length, (await processes?.(cwd)) ?? []], [before, []]);
  },

  'opens nothing when it is aborted': async ({ open }) => {
    await expectRejected(open({ signal: AbortSignal.abort() }));
  },

  'keeps sessions apart': async ({ open, prompts }) => {
    const [a, b] = [await open({ sessionId: 'a' }), await open({ sessionId: 'b' })];
    await startEndless(a.session, a.recorder, prompts.endless);
    await b.session.send({ text: prompts.text });
    expectEqual((await ended(b.recorder)).type, 'idle');
    const before = a.recorder.events.length;
    await a.recorder.until('more of the other', () => a.recorder.events.length > before);
  },

  'survives a listener that throws': async ({ open, prompts, timeoutMs }) => {
    const { session } = await open();
    session.onEvent(() => {
      throw new Error('a listener of the contract suite that throws on purpose');
    });
    const recorder = new EventRecorder(session, timeoutMs);
    await session.send({ text: prompts.text });
    expectEqual((await ended(recorder)).type, 'idle');
  },
};

function runsEdited(edited: string, prints: string): Check {
  return async ({ open, prompts }) => {
    const { session, recorder } = await open();
    const toolCallId = await ask(session, recorder, prompts.tool.prompt);
    session.answer(toolCallId, { approved: true, editedToolInput: edited });
    await ended(recorder);
    expectEqual(recorder.output().includes(prints), true);
  };
}

/** An agent that can only run what it showed must not run that either when something else was approved. */
const runsNothingEdited: Check = async ({ open, prompts }) => {
  const { session, recorder } = await open();
  const toolCallId = await ask(session, recorder, prompts.tool.prompt);
  session.answer(toolCallId, { approved: true, editedToolInput: 'something else' });
  await ended(recorder);
  expectEqual([recorder.of('toolComplete'), recorder.output()], [[], '']);
};

function textOf(prompt: string, type: 'text' | 'reasoning'): Check {
  return async ({ open }) => {
    const { session, recorder } = await open();
    await session.send({ text: prompt });
    expectEqual((await ended(recorder)).type, 'idle');
    expectEqual(recorder.text(type) !== '', true);
  };
}

function permissionAnswered(prompt: string): Check {
  return async ({ open }) => {
    const { session, recorder } = await open();
    await session.send({ text: prompt });
    const { request } = await recorder.nth('permissionRequest');
    session.answer('unknown', { approved: true });
    session.answer(request.requestId, { approved: true });
    session.answer(request.requestId, { approved: false });
    expectEqual((await ended(recorder)).type, 'idle');
  };
}

function fails(prompt: string): Check {
  return async ({ open }) => {
    const { session, recorder } = await open();
    await session.send({ text: prompt });
    const end = await ended(recorder);
    expectEqual([end.type, end.type === 'error' && end.error.message !== ''], ['error', true]);
  };
}

function resumes({ tell, recall, answer }: NonNullable<AgentContractPrompts['resume']>): Check {
  return async ({ open, openOptions, agent, timeoutMs }) => {
    const options = await openOptions();
    const first = await agent.openSession(options);
    const heard = new EventRecorder(first, timeoutMs);
    await runApproved(first, heard, tell);
    const resume = first.nativeSessionId;
    await first.dispose();
    if (resume === undefined) throw new Error('no native session id');
    const { session, recorder } = await open({ ...options, resume });
    await runApproved(session, recorder, recall);
    expectEqual((recorder.text() + recorder.output()).includes(answer), true);
  };
}
