import type { AgentEvent } from '@agenthost/host';
import { ScriptedAgent } from './scriptedAgent.ts';

const call = (toolCallId: string, invocationMessage: string, parentToolCallId?: string) => ({
  toolCallId,
  toolName: 'any',
  displayName: 'Any',
  invocationMessage,
  ...(parentToolCallId !== undefined && { parentToolCallId }),
});

const started = (...[id, text, parent]: Parameters<typeof call>): AgentEvent => ({
  type: 'toolStart',
  toolCall: { ...call(id, text, parent), status: 'running', confirmed: { how: 'notNeeded' } },
});

const completed = (toolCallId: string, pastTenseMessage: string, success = true): AgentEvent => ({
  type: 'toolComplete',
  toolCallId,
  result: { success, pastTenseMessage },
});

/**
 * `explore N`: a sub-agent that reads N files, fails once, has a sub-agent of its own, and ends. `ask`: it asks before it writes.
 * `run`: it runs a command until it is stopped.
 */
export const subAgentScript = (provider = 'mock') =>
  new ScriptedAgent({
    provider,
    displayName: 'Explorer',
    script: async function* ({ text }, turn): AsyncIterable<AgentEvent> {
      const [verb = '', count = '3'] = text.split(' ');
      yield started('main', 'Explore');
      for (let n = 0; n < Number(count); n++) {
        yield started(`read ${n}`, `Reading ${n}.ts`, 'main');
        yield completed(`read ${n}`, `Read ${n}.ts`);
      }
      yield started('fails', 'Searching', 'main');
      yield completed('fails', 'Searched', false);
      if (verb === 'ask') {
        const answered = turn.answer('ask');
        const asked = { ...call('ask', 'Writing a file', 'main'), status: 'pendingConfirmation' } as const;
        yield { type: 'toolStart', toolCall: { ...asked, confirmation: { title: 'Write it?' } } };
        if ((await answered).approved) yield completed('ask', 'Wrote a file');
      }
      if (verb === 'run') {
        yield started('runs', 'Watching the files', 'main');
        await turn.forever();
      }
      yield started('inner', 'Look closer', 'main');
      yield started('innermost', 'Reading deep.ts', 'inner');
      yield completed('innermost', 'Read deep.ts');
      yield completed('inner', 'Looked closer');
      yield completed('main', 'Explored');
      yield { type: 'text', text: 'All explored.' };
    },
  });
