import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Agent, AgentEvent, AgentSession, OpenSessionOptions } from '@agenthost/host';
import type { AvailableAgent, UserMessage } from '@agenthost/protocol';

interface TalkingAgentOptions {
  /** It can forget its newest messages by itself. */
  readonly rewinds?: boolean;
}

/** An agent with a memory: it keeps every message, writes it to a file, and is told earlier turns as text where it lacks them. */
export class TalkingAgent implements Agent {
  readonly descriptor = { provider: 'talking', displayName: 'Talking', description: 'Remembers what it is told.' };
  /** What it was told of earlier turns, each time that it was opened anew. */
  readonly opened: string[] = [];
  /** Of each session of its own, what it knows. */
  readonly memory = new Map<string, string[]>();
  readonly #folder: string;
  readonly #options: TalkingAgentOptions;

  constructor(folder: string, options: TalkingAgentOptions = {}) {
    this.#folder = folder;
    this.#options = options;
  }

  async availability(): Promise<AvailableAgent> {
    return { state: 'available' };
  }

  async listModels() {
    return [];
  }

  async openSession({ resume, transcript }: OpenSessionOptions): Promise<AgentSession> {
    const id = resume ?? `native-${this.memory.size + 1}`;
    const known = this.memory.get(id) ?? [];
    this.memory.set(id, known);
    if (resume === undefined) this.opened.push((await transcript?.())?.text ?? '');
    return new TalkingSession(id, known, join(this.#folder, 'a.txt'), this.#options);
  }

  async dispose(): Promise<void> {}
}

class TalkingSession implements AgentSession {
  readonly nativeSessionId: string;
  readonly rewind?: NonNullable<AgentSession['rewind']>;
  readonly #known: string[];
  readonly #file: string;
  readonly #listeners = new Set<(event: AgentEvent) => void>();
  #stop: (() => void) | undefined;

  constructor(id: string, known: string[], file: string, { rewinds }: TalkingAgentOptions) {
    this.nativeSessionId = id;
    this.#known = known;
    this.#file = file;
    if (!rewinds) return;
    this.rewind = async (messages) => {
      const newest = this.#known.slice(this.#known.length - messages.length);
      if (newest.some((text, at) => text !== messages[at]?.text)) return false;
      this.#known.length -= messages.length;
      return true;
    };
  }

  onEvent(listener: (event: AgentEvent) => void) {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  }

  async send({ text }: UserMessage): Promise<void> {
    this.#known.push(text);
    if (text === 'wait') await new Promise<void>((resolve) => (this.#stop = resolve));
    else await writeFile(this.#file, text);
    this.#fire({ type: 'text', text: `${this.#known.join(', ')}` });
    this.#fire({ type: 'idle' });
  }

  answer(): void {}

  async abort(): Promise<void> {
    this.#stop?.();
  }

  async dispose(): Promise<void> {
    this.#stop?.();
  }

  #fire(event: AgentEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
