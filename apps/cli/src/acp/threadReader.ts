import type { ContentBlock, SessionUpdate } from '@agentclientprotocol/sdk';
import type { SessionHandle } from '@agenthost/client';
import type { ActiveTurn, NoticePart, SessionState, Turn, UserMessage } from '@agenthost/protocol';
import { safeText } from '../text/safeText.js';
import { TurnReader } from '../turn/turnReader.js';
import { contentBlock } from './contentBlock.js';
import type { ThreadContext } from './editorThread.js';
import { ToolUpdates } from './toolUpdates.js';

/** Turns the states of a session into updates for an editor: each part once, in its order. */
export class ThreadReader {
  readonly #session: SessionHandle;
  readonly #context: ThreadContext;
  /** Started by this editor, which shows their messages itself. */
  readonly #own = new Set<string>();
  /** The turn that is being read. */
  #turn: { readonly id: string; readonly reader: TurnReader; readonly tools: ToolUpdates } | undefined;
  /** The last turn that was read to its end. */
  #last: { readonly id: string; readonly startedAt: number } | undefined;

  constructor(session: SessionHandle, context: ThreadContext) {
    this.#session = session;
    this.#context = context;
  }

  isOwn(turnId: string): void {
    this.#own.add(turnId);
  }

  /** What is there now counts as read. Calls that still run are shown once more, so that what follows belongs to something. */
  skip(): void {
    const { turns, activeTurn } = this.#session.confirmed.value;
    this.#last = turns.at(-1) ?? this.#last;
    if (!activeTurn) return;
    const { reader } = this.#begin(activeTurn);
    for (const _ of reader.read(activeTurn));
  }

  async *readState({ turns, activeTurn }: SessionState): AsyncGenerator<SessionUpdate> {
    for (const turn of this.#unread(turns)) yield* this.read(turn);
    if (activeTurn) yield* this.read(activeTurn);
  }

  /** A turn, or the next piece of it. When it is replayed, the editor has none of it. */
  async *read(turn: ActiveTurn | Turn, isReplay = false): AsyncGenerator<SessionUpdate> {
    let current = this.#turn;
    if (current?.id !== turn.id) {
      current = this.#begin(turn);
      if (turn.origin !== 'agent' && (isReplay || !this.#own.has(turn.id))) yield* this.#userMessage(turn.userMessage);
    }
    for (const event of current.reader.read(turn)) {
      switch (event.type) {
        case 'text':
          yield chunk('agent_message_chunk', event.text);
          break;
        case 'reasoning':
          yield chunk('agent_thought_chunk', event.text);
          break;
        case 'notice':
          yield this.notice(event.notice.text, event.notice.severity);
          break;
        case 'steering':
          yield* this.#userMessage(event.steering.userMessage);
          break;
        case 'content':
          yield { sessionUpdate: 'agent_message_chunk', content: await contentBlock(this.#context.host, event.ref) };
          break;
        case 'stepsOmitted':
          yield this.notice(`${event.steps} steps came too fast to be shown here.`, 'info');
          break;
        default:
          yield* current.tools.read(event);
      }
    }
    if (!('state' in turn)) return;
    this.#last = turn;
    this.#own.delete(turn.id);
    const { contextUsed: used, contextSize: size } = turn.usage ?? {};
    if (used !== undefined && size !== undefined) yield { sessionUpdate: 'usage_update', used, size };
  }

  /** What the host says; editors that know no notices get it as a quote. */
  notice(text: string, severity: NoticePart['severity']): SessionUpdate {
    const safe = safeText(text);
    if (!this.#context.traits.notices) return chunk('agent_message_chunk', `\n\n> ${safe.replace(/\n/g, '\n> ')}\n\n`);
    const [title = '', ...rest] = safe.split('\n');
    const description = rest.join('\n').trim();
    return { sessionUpdate: 'notice', severity, title, ...(description !== '' && { description }) };
  }

  #begin(turn: ActiveTurn | Turn) {
    const tools = new ToolUpdates(this.#session, this.#context);
    this.#turn = { id: turn.id, reader: new TurnReader(), tools };
    return this.#turn;
  }

  #unread(turns: readonly Turn[]): readonly Turn[] {
    const last = this.#last;
    if (!last) return turns;
    const at = turns.findLastIndex(({ id }) => id === last.id);
    return at >= 0 ? turns.slice(at + 1) : turns.filter(({ startedAt }) => startedAt > last.startedAt);
  }

  async *#userMessage(message: UserMessage): AsyncGenerator<SessionUpdate> {
    const { text, attachments = [] } = message.textRef ? await this.#session.wholeMessage(message) : message;
    if (text !== '') yield chunk('user_message_chunk', text);
    for (const { kind, label, uri, data, ref, mimeType } of attachments) {
      let content: ContentBlock | undefined;
      if (kind === 'image' && ref) content = await contentBlock(this.#context.host, ref);
      else if (kind === 'image' && data !== undefined && mimeType !== undefined)
        content = { type: 'image', data, mimeType };
      else if (uri !== undefined) content = { type: 'resource_link', name: label, uri };
      if (content) yield { sessionUpdate: 'user_message_chunk', content };
    }
  }
}

function chunk(
  sessionUpdate: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk',
  text: string,
): SessionUpdate {
  return { sessionUpdate, content: { type: 'text', text } };
}
