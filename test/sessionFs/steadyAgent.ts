import type { Agent, AgentEvent, AgentSession, OpenSessionOptions } from '@agenthost/host';

const OUTPUT = Array.from({ length: 2_000 }, (_, index) => `line ${index}: ü€🦊`).join('\n');

/**
 * An agent that says the same at any speed: one piece a part, so that nothing depends on what came together, and every id is told.
 * A session of it opens when the client says so.
 */
export class SteadyAgent implements Agent {
  readonly descriptor = { provider: 'steady', displayName: 'Steady', description: 'For comparisons.' };
  #opened = Promise.withResolvers<void>();

  availability = async () => ({ state: 'available' }) as const;
  listModels = async () => [];
  dispose = async () => {};

  letOpen(): void {
    this.#opened.resolve();
    this.#opened = Promise.withResolvers();
  }

  async openSession({ sessionId, resume }: OpenSessionOptions): Promise<AgentSession> {
    if (resume === undefined) await this.#opened.promise;
    const listeners = new Set<(event: AgentEvent) => void>();
    const emit = (...events: AgentEvent[]) => {
      for (const event of events) for (const listener of listeners) listener(event);
    };
    return {
      nativeSessionId: `native-${sessionId}`,
      onEvent: (listener) => {
        listeners.add(listener);
        return { dispose: () => listeners.delete(listener) };
      },
      send: async ({ text }) => void setImmediate(() => emit(...answerTo(text), { type: 'idle' })),
      answer: () => {},
      abort: async () => emit({ type: 'idle' }),
      dispose: async () => listeners.clear(),
    };
  }
}

function answerTo(text: string): AgentEvent[] {
  if (text === 'plan') return [{ type: 'plan', markdown: '# A plan\r\n\n- ü\n' }];
  if (text === 'usage') return [{ type: 'usage', usage: { inputTokens: 12, outputTokens: 3 } }];
  if (text !== 'print')
    return [
      { type: 'reasoning', text: 'Hm. ' },
      { type: 'text', text: `You said: ${text}` },
    ];
  const call = { toolName: 'print', displayName: 'Print', invocationMessage: 'Printing', status: 'running' } as const;
  return [
    { type: 'toolStart', toolCall: { toolCallId: 'live', ...call, confirmed: { how: 'notNeeded' } } },
    { type: 'toolUpdate', toolCallId: 'live', output: OUTPUT },
    { type: 'toolComplete', toolCallId: 'live', result: { success: true, pastTenseMessage: 'Printed' } },
    { type: 'toolStart', toolCall: { toolCallId: 'whole', ...call, confirmed: { how: 'notNeeded' } } },
    {
      type: 'toolComplete',
      toolCallId: 'whole',
      result: { success: true, pastTenseMessage: 'Printed', toolOutput: OUTPUT },
    },
  ];
}
