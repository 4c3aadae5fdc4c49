import { randomUUID } from 'node:crypto';
import type { ToolCallStart } from '@agenthost/protocol';
import {
  dropOldest,
  isSafeKey,
  MAX_CALL_DEPTH,
  MAX_ID_LENGTH,
  MAX_OPEN_STEPS,
  MAX_PART_LENGTH,
  TOOL_OUTPUT_HEAD,
  TOOL_OUTPUT_TAIL,
} from '@agenthost/protocol/internal';
import type { AgentAction } from './agentAction.js';
import { oneLine, pieces } from './boundedText.js';

// What `AgentEventMapper` remembers of one turn: its open steps, the text part that is being written, its sub-agents
// and its ids.

/** What all open steps of a turn may take in the state, in code units of their JSON: each is in every snapshot. */
const MAX_OPEN_LENGTH = 4 * 1024 * 1024;
const MAX_OUTPUT = TOOL_OUTPUT_HEAD + TOOL_OUTPUT_TAIL;

interface OpenStep {
  length: number;
  output: number;
}

/** Counts the open calls and questions of a turn. Other parts can be dropped from the state; these can't. */
export class OpenSteps {
  readonly #steps = new Map<string, OpenStep>();
  #length = 0;

  get isTooMuch(): boolean {
    return this.#steps.size > MAX_OPEN_STEPS || this.#length > MAX_OPEN_LENGTH;
  }

  /** A step that is announced again replaces the first announcement. */
  open(id: string, content: object): void {
    const output = this.#steps.get(id)?.output ?? 0;
    this.close(id);
    const length = JSON.stringify(content).length;
    this.#steps.set(id, { length, output });
    this.#length += length + output;
  }

  printed(id: string, length: number): void {
    const step = this.#steps.get(id);
    if (!step) return;
    const output = Math.min(step.output + length, MAX_OUTPUT);
    this.#length += output - step.output;
    step.output = output;
  }

  close(id: string): void {
    const step = this.#steps.get(id);
    if (!step) return;
    this.#steps.delete(id);
    this.#length -= step.length + step.output;
  }
}

/** How many calls are remembered that may have started a sub-agent; those longest without a call are dropped first. */
const MAX_STARTERS = 1_000;
const MAX_STARTER_NAME = 100;

interface Starter {
  readonly name: string;
  readonly parent: string | undefined;
  readonly depth: number;
  hasCalls: boolean;
}

/** The calls of a turn as a tree, by the agent's ids: which call started the sub-agent that makes another one. */
export class SubAgents {
  readonly #starters = new Map<string, Starter>();

  /**
   * A call was announced. `parent` is the call to show it under; none when its own is not of this turn. A sub-agent in the
   * background still works when its call has ended. `askedBy` names the sub-agent; it is empty for an unknown one.
   */
  announced(call: ToolCallStart): { readonly parent: string | undefined; readonly askedBy: string | undefined } {
    const { toolCallId, parentToolCallId: starterId } = call;
    const known = this.#starters.get(toolCallId);
    const starter = starterId === undefined ? undefined : this.#used(starterId);
    // A call that has calls of its own stays where it is, so that there are no cycles.
    const stays = known !== undefined && (known.hasCalls || known.parent !== undefined);
    const isOther = starter !== undefined && starterId !== toolCallId;
    const parent = stays ? known.parent : isOther ? within(starterId, starter) : undefined;
    const above = parent === undefined ? undefined : this.#starters.get(parent);
    if (above) above.hasCalls = true;
    this.#starters.delete(toolCallId);
    dropOldest(this.#starters, MAX_STARTERS - 1);
    const depth = above ? above.depth + 1 : 0;
    this.#starters.set(toolCallId, { name: nameOf(call), parent, depth, hasCalls: !!known?.hasCalls });
    return { parent, askedBy: starterId === undefined ? undefined : (starter?.name ?? '') };
  }

  #used(id: string): Starter | undefined {
    const starter = this.#starters.get(id);
    if (!starter) return undefined;
    this.#starters.delete(id);
    this.#starters.set(id, starter);
    return starter;
  }
}

function within(id: string | undefined, { depth, parent }: Starter): string | undefined {
  return depth < MAX_CALL_DEPTH ? id : parent;
}

/** The name of a sub-agent: what its call is about. */
function nameOf({ displayName, invocationMessage }: ToolCallStart): string {
  return oneLine(invocationMessage.trim() || displayName, MAX_STARTER_NAME);
}

type TextKind = 'markdown' | 'reasoning';

interface OpenPart {
  readonly kind: TextKind;
  readonly id: string;
  length: number;
}

/** From this length on a part ends with the next paragraph; at MAX_PART_LENGTH it ends in any case. */
const SOFT_LENGTH = MAX_PART_LENGTH * 0.75;
const PARAGRAPH_END = '\n\n';

/** Maps the text of an agent to parts. Text of one kind goes into one part until another event comes or the part is full. */
export class TextParts {
  readonly #turnId: string;
  readonly #newId: () => string;
  #open: OpenPart | undefined;

  constructor(turnId: string, newId: () => string) {
    this.#turnId = turnId;
    this.#newId = newId;
  }

  /** The next text begins a new part. */
  close(): void {
    this.#open = undefined;
  }

  append(kind: TextKind, text: string): AgentAction[] {
    const actions: AgentAction[] = [];
    const turnId = this.#turnId;
    const type = kind === 'markdown' ? 'session/delta' : 'session/reasoning';
    for (let rest = text; rest !== ''; ) {
      if (this.#open?.kind !== kind) {
        this.#open = { kind, id: this.#newId(), length: 0 };
        const { id } = this.#open;
        actions.push({ type: 'session/responsePart', turnId, part: { kind, id, content: '' } });
      }
      const part = this.#open;
      const content = fitting(rest, part.length);
      actions.push({ type, turnId, partId: part.id, content });
      part.length += content.length;
      rest = rest.slice(content.length);
      // Room for one code unit doesn't count: a surrogate pair would not fit.
      if (endsPart(part.length, content)) this.#open = undefined;
    }
    return actions;
  }
}

/** As much of the text as fits into a part of that length. */
function fitting(text: string, length: number): string {
  const [piece = ''] = pieces(text, MAX_PART_LENGTH - length);
  const soft = Math.max(SOFT_LENGTH - length - PARAGRAPH_END.length, 0);
  const end = length + piece.length > SOFT_LENGTH ? piece.indexOf(PARAGRAPH_END, soft) : -1;
  return end < 0 ? piece : piece.slice(0, end + PARAGRAPH_END.length);
}

function endsPart(length: number, content: string): boolean {
  return length > MAX_PART_LENGTH - 2 || (length >= SOFT_LENGTH && content.endsWith(PARAGRAPH_END));
}

/**
 * Maps ids of one turn between the agent and the clients. An agent's id is sent unchanged unless it is invalid on the wire; then
 * it gets a new one, the same for the whole turn.
 */
export class AgentIds {
  readonly #wireIds = new Map<string, string>();
  readonly #agentIds = new Map<string, string>();
  readonly #newId: () => string;

  constructor(newId: () => string = randomUUID) {
    this.#newId = newId;
  }

  wireIdOf(agentId: string): string {
    const known = this.#wireIds.get(agentId);
    if (known !== undefined) return known;
    // The agent may use an id that was generated for another one of its ids.
    let wireId = isWireId(agentId) ? agentId : this.#newId();
    while (this.#agentIds.has(wireId)) wireId = this.#newId();
    this.#wireIds.set(agentId, wireId);
    this.#agentIds.set(wireId, agentId);
    return wireId;
  }

  agentIdOf(wireId: string): string | undefined {
    return this.#agentIds.get(wireId);
  }
}

/** Accepts what the schema of an id accepts, and only well-formed Unicode: a lone surrogate would change in UTF-8. */
export function isWireId(id: string): boolean {
  return id.length > 0 && id.length <= MAX_ID_LENGTH && isSafeKey(id) && id.isWellFormed() && !hasControlCharacter(id);
}

function hasControlCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}
