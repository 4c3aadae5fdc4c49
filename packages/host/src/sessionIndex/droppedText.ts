import { type ActiveTurn, droppedSteps, type SessionState, type Turn } from '@agenthost/protocol';
import { doneIn, MAX_SEARCH_LENGTH, saidIn } from './searchText.js';

/**
 * Keeps the searchable text of parts that a running turn has dropped from its state: head and tail, as for any long text.
 * `follow` has to be called with each state of the session.
 */
export class DroppedText {
  #turnId: string | undefined;
  #before: SessionState['activeTurn'];
  #said = '';
  #done = '';
  #steps = 0;

  follow({ activeTurn, turns }: SessionState): void {
    if (activeTurn && activeTurn.id !== this.#turnId) {
      this.#turnId = activeTurn.id;
      this.#said = '';
      this.#done = '';
      this.#steps = 0;
    }
    const before = this.#before;
    const after = activeTurn ?? turns.at(-1);
    this.#before = activeTurn;
    if (!before || before.id !== after?.id || before.earlierParts === after.earlierParts) return;
    for (const step of droppedSteps(before, after)) {
      this.#steps++;
      this.#said = ends(this.#said + saidIn(step.part));
      if (step.call) this.#done = ends(this.#done + doneIn(step.call));
    }
  }

  /** Whether it has followed the turn from its beginning: otherwise the text is incomplete. */
  hasAll({ id, earlierParts = 0 }: ActiveTurn | Turn): boolean {
    return earlierParts === 0 || (id === this.#turnId && this.#steps === earlierParts);
  }

  /** `undefined` when the turn has dropped nothing. */
  of(turnId: string): { readonly said: string; readonly done: string } | undefined {
    if (turnId !== this.#turnId || (this.#said === '' && this.#done === '')) return undefined;
    return { said: this.#said, done: this.#done };
  }
}

/** Cut with some slack: most parts are short. */
function ends(text: string): string {
  if (text.length <= 3 * MAX_SEARCH_LENGTH) return text;
  return `${text.slice(0, MAX_SEARCH_LENGTH)} … ${text.slice(-MAX_SEARCH_LENGTH)}`;
}
