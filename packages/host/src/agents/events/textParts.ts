import { MAX_PART_LENGTH } from '@agenthost/protocol';
import type { AgentAction } from './agentAction.js';
import { pieces } from './boundedText.js';

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
