import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type AgentContractOptions, agentContract } from '../../contract/agentContract.js';
import type { Agent, AgentEvent, AgentSession } from '../../src/agents/agent.js';
import { MockAgent } from '../../src/agents/mock/mockAgent.js';
import { ShellAgent } from '../../src/agents/shell/shellAgent.js';
import { processesIn } from '../agents/support/processes.js';
import { openOptions } from '../agents/support/sessions.js';

const mock: AgentContractOptions = {
  create: async () => new MockAgent(),
  openOptions,
  prompts: {
    text: 'hello',
    reasoning: 'reasoning',
    tool: { prompt: 'confirm-tool', edited: 'make all', prints: '$ make all' },
    permission: 'permission',
    endless: 'slow',
    error: 'error',
    crash: 'crash',
    resume: { tell: 'hello', recall: 'resumed?', answer: 'Yes' },
  },
};

const shell = (path: string): AgentContractOptions => ({
  create: async () => new ShellAgent({ shell: path }),
  openOptions,
  processes: processesIn,
  prompts: {
    text: '',
    tool: { prompt: 'echo hello', edited: 'echo goodbye', prints: 'goodbye' },
    endless: 'while :; do echo tick; sleep 0.02; done',
    resume: {
      tell: 'mkdir sub && cd sub && export GREETING=hi',
      recall: 'echo "$GREETING from $PWD"',
      answer: '/sub\r\n',
    },
  },
});

beforeAll(() => {
  // One case has a listener that throws; the warnings about it are no news.
  const spy = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  return () => spy.mockRestore();
});

describe.each([
  ['mock', mock],
  ['shell (bash)', shell('/bin/bash')],
  ['shell (sh)', shell('/bin/sh')],
] as const)('the agent contract: %s', (_, options) => {
  for (const { name, run } of agentContract(options)) it(name, run);
});

/** Agents with one fault each, and the cases that find it. */
const faults: [
  name: string,
  change: (session: AgentSession, emit: (event: AgentEvent) => void) => Partial<AgentSession>,
  found: RegExp,
][] = [
  ['never ends after an abort', () => ({ abort: async () => {} }), /abort mid-stream/],
  [
    'ends twice',
    (_, emit) => ({ send: async () => [emit({ type: 'idle' }), emit({ type: 'idle' })][0] }),
    /nothing after/,
  ],
  ['does not ask', (_, emit) => ({ send: async () => emit({ type: 'idle' }) }), /denied/],
  [
    'takes any answer',
    (session) => {
      let last = '';
      session.onEvent((event) => {
        if (event.type === 'toolStart') last = event.toolCall.toolCallId;
      });
      return { answer: (_, decision) => session.answer(last, decision) };
    },
    /approved tool once/,
  ],
  [
    'forgets the edited input',
    (session) => ({ answer: (id, { approved }) => session.answer(id, { approved }) }),
    /edited/,
  ],
  ['lives on after dispose', () => ({ dispose: async () => {} }), /disposed during a turn/],
];

describe('agentContract', () => {
  it.each(faults)('finds an agent that %s', async (_, change, found) => {
    const create = async (): Promise<Agent> => {
      const agent = new MockAgent();
      return {
        descriptor: agent.descriptor,
        availability: () => agent.availability(),
        listModels: () => agent.listModels(),
        dispose: () => agent.dispose(),
        openSession: async (options) => faulty(await agent.openSession(options), change),
      };
    };
    const cases = agentContract({ ...mock, create, timeoutMs: 200 }).filter(({ name }) => found.test(name));
    expect(cases).toHaveLength(1);
    await expect(cases[0]?.run()).rejects.toThrow();
  });
});

function faulty(session: AgentSession, change: (typeof faults)[number][1]): AgentSession {
  const listeners: ((event: AgentEvent) => void)[] = [];
  const emit = (event: AgentEvent) => {
    for (const listener of listeners) listener(event);
  };
  return {
    nativeSessionId: session.nativeSessionId,
    onEvent: (listener) =>
      [listeners.push(listener), session.onEvent(listener)][1] as ReturnType<AgentSession['onEvent']>,
    send: (message) => session.send(message),
    answer: (id, decision) => session.answer(id, decision),
    abort: () => session.abort(),
    dispose: () => session.dispose(),
    ...change(session, emit),
  };
}
