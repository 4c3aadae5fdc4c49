import { MAX_OPEN_STEPS, TOOL_OUTPUT_HEAD, TOOL_OUTPUT_TAIL } from '@agenthost/protocol';

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
