import type { Agent, AgentEvent, AgentSession, Decision, OpenSessionOptions } from '@agenthost/host';
import { Emitter } from '@agenthost/rpc';

/** An agent that counts the words of your message, and asks before. It has no process and no model, but the whole contract. */
export class WordCountAgent implements Agent {
  readonly descriptor = { provider: 'words', displayName: 'Word count', description: 'Counts words.' };
  readonly #sessions = new Set<AgentSession>();

  availability = async () => ({ state: 'available' }) as const;
  listModels = async () => [];

  async openSession({ signal }: Pick<OpenSessionOptions, 'signal'>): Promise<AgentSession> {
    signal.throwIfAborted();
    const session = wordCountSession(() => this.#sessions.delete(session));
    this.#sessions.add(session);
    return session;
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.#sessions].map((session) => session.dispose()));
  }
}

function wordCountSession(onDispose: () => void): AgentSession {
  const events = new Emitter<AgentEvent>();
  const waiting = new Map<string, (decision: Decision) => void>();
  let turn: AbortController | undefined;
  let isDisposed = false;

  async function run(text: string, signal: AbortSignal): Promise<void> {
    const stopped = new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
    if (text === 'hello') {
      events.fire({ type: 'text', text: 'Hello. Say something, and I count its words.' });
    } else if (text.startsWith('recite')) {
      while (!signal.aborted) {
        events.fire({ type: 'text', text: `${text} ` });
        await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, 10))]);
      }
    } else {
      const toolCallId = crypto.randomUUID();
      const decided = new Promise<Decision>((resolve) => waiting.set(toolCallId, resolve));
      const call = { toolCallId, toolName: 'count', displayName: 'Count', invocationMessage: 'Counting words' };
      const confirmation = { title: 'Count the words?', readOnly: true, editable: true } as const;
      const toolCall = { ...call, toolInput: text, status: 'pendingConfirmation', confirmation } as const;
      events.fire({ type: 'toolStart', toolCall });
      const decision = await Promise.race([decided, stopped]);
      if (!decision?.approved) return;
      const count = (decision.editedToolInput ?? text).split(/\s+/).length;
      events.fire({ type: 'toolUpdate', toolCallId, output: `${count}\n` });
      const result = { success: true, pastTenseMessage: `Counted ${count} words` };
      events.fire({ type: 'toolComplete', toolCallId, result });
      events.fire({ type: 'text', text: `That is ${count} words.` });
    }
  }

  return {
    nativeSessionId: undefined,
    onEvent: (listener) => events.event(listener),
    async send({ text }) {
      if (isDisposed) throw new Error('this session is closed');
      const controller = new AbortController();
      turn = controller;
      // After this has returned: the message is accepted, and the rest are events.
      setImmediate(() => void run(text, controller.signal).then(() => events.fire({ type: 'idle' })));
    },
    answer: (requestId, decision) => waiting.get(requestId)?.(decision),
    abort: async () => turn?.abort(),
    async dispose() {
      isDisposed = true;
      events.clear();
      turn?.abort();
      onDispose();
    },
  };
}
