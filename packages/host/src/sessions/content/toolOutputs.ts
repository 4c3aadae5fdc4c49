import { createHash } from 'node:crypto';
import type { ContentRef } from '@agenthost/protocol';
import { INLINE_CONTENT_LIMIT } from '@agenthost/protocol/internal';
import type { AgentAction } from '../../agents/events/agentAction.js';
import type { SessionContent } from './sessionContent.js';

interface LiveOutput {
  /** The output so far, while it is short. */
  held: string[];
  bytes: number;
  contentId?: string;
}

const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/**
 * Keeps the complete input and output of tools. The state has the head and the tail; longer output is appended to the session's
 * content as it comes, and the call refers to it.
 */
export class ToolOutputs {
  readonly #content: SessionContent;
  readonly #newId: () => string;
  readonly #live = new Map<string, LiveOutput>();

  constructor(content: SessionContent, newId: () => string) {
    this.#content = content;
    this.#newId = newId;
  }

  /** Returns the action, with a reference to the output if it is long. */
  pass(action: AgentAction): AgentAction[] {
    switch (action.type) {
      case 'session/toolUpdate':
        return [action.output === undefined ? action : this.#update(action, action.output)];
      case 'session/toolComplete':
        return [...this.#sizeOf(action), action];
      case 'session/turnComplete':
      case 'session/error':
        this.#live.clear();
        return [action];
      default:
        return [action];
    }
  }

  /** A call of an earlier host goes on: this is what it has printed so far. Resolves with its length in bytes. */
  async restore(turnId: string, toolCallId: string, outputs: AsyncIterable<string>): Promise<number> {
    const key = `${turnId}/${toolCallId}`;
    const live: LiveOutput = { held: [], bytes: 0 };
    for await (const output of outputs) {
      live.bytes += Buffer.byteLength(output);
      if (live.contentId !== undefined) {
        this.#content.append(live.contentId, output);
        if (this.#content.waitingBytes > MAX_WAITING_BYTES) await this.#content.settled();
        continue;
      }
      live.held.push(output);
      if (live.bytes <= INLINE_CONTENT_LIMIT) continue;
      const contentId = contentIdOf('output', key);
      if (!this.#content.ref(contentId)) continue;
      live.contentId = contentId;
      // Written anew: the file may have more than the log, or less.
      void this.#content.storeSoon(contentId, Buffer.from(live.held.join('')));
      live.held = [];
    }
    this.#live.set(key, live);
    return live.bytes;
  }

  /** Stores a complete text: an input, or the output of a result. */
  keepText(text: string): ContentRef | undefined {
    const contentId = contentIdOf('text', this.#newId());
    const ref = this.#content.ref(contentId, Buffer.byteLength(text));
    if (ref) this.#content.append(contentId, text);
    return ref;
  }

  #update(action: Extract<AgentAction, { type: 'session/toolUpdate' }>, output: string): AgentAction {
    const key = `${action.turnId}/${action.toolCallId}`;
    const live = this.#live.get(key) ?? { held: [], bytes: 0 };
    this.#live.set(key, live);
    live.bytes += Buffer.byteLength(output);
    if (live.contentId !== undefined) {
      this.#content.append(live.contentId, output);
      return action;
    }
    live.held.push(output);
    if (live.bytes <= INLINE_CONTENT_LIMIT) return action;
    const contentId = contentIdOf('output', key);
    const ref = this.#content.ref(contentId);
    if (!ref) return action;
    live.contentId = contentId;
    this.#content.append(contentId, live.held.join(''));
    live.held = [];
    return { ...action, ref };
  }

  /** The size of the output, when it is complete. */
  #sizeOf({ turnId, toolCallId }: Extract<AgentAction, { type: 'session/toolComplete' }>): AgentAction[] {
    const key = `${turnId}/${toolCallId}`;
    const live = this.#live.get(key);
    this.#live.delete(key);
    const ref = live?.contentId === undefined ? undefined : this.#content.ref(live.contentId, live.bytes);
    return ref ? [{ type: 'session/toolUpdate', turnId, toolCallId, ref }] : [];
  }
}

/** Ids of turns and calls may be anything; a content id is a file's name. */
function contentIdOf(kind: string, key: string): string {
  return `${kind}-${createHash('sha256').update(key).digest('hex').slice(0, 24)}.txt`;
}
