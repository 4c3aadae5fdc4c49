import type { ActiveTurn, ToolCallState, Turn } from '@agenthost/protocol';
import { TurnReader } from './turnReader.js';

/** One JSON object per line for each change of a turn. */
export class JsonTurnPrinter {
  readonly #reader = new TurnReader();
  readonly #started = new Set<string>();

  update(turn: ActiveTurn | Turn): void {
    for (const event of this.#reader.read(turn)) {
      if ('call' in event) this.#start(event.call);
      switch (event.type) {
        case 'toolStarted':
          break;
        case 'toolWaits':
        case 'toolEnded':
          printEvent(event.type, { toolCall: event.call });
          break;
        case 'toolOutput':
          printEvent(event.type, { toolCallId: event.call.toolCallId, text: event.text });
          break;
        case 'toolOutputOmitted':
          printEvent(event.type, { toolCallId: event.call.toolCallId, characters: event.characters });
          break;
        default: {
          const { type, ...rest } = event;
          printEvent(type, rest);
        }
      }
    }
  }

  /** Also for a call that had ended when it was first seen: programs wait for its start. One that was denied never started. */
  #start(toolCall: ToolCallState): void {
    const { toolCallId, status } = toolCall;
    if (status === 'pendingConfirmation' || status === 'cancelled' || this.#started.has(toolCallId)) return;
    this.#started.add(toolCallId);
    printEvent('toolStarted', { toolCall });
  }
}

export function printEvent(event: string, fields: object): void {
  process.stdout.write(`${JSON.stringify({ event, ...fields })}\n`);
}
