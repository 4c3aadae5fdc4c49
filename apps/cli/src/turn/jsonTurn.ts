import type { ActiveTurn, Turn } from '@agenthost/protocol';
import { TurnReader } from './turnReader.js';

/** One JSON object per line for each change of a turn. */
export class JsonTurnPrinter {
  readonly #reader = new TurnReader();

  update(turn: ActiveTurn | Turn): void {
    for (const event of this.#reader.read(turn)) {
      switch (event.type) {
        case 'toolStarted':
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
}

export function printEvent(event: string, fields: object): void {
  process.stdout.write(`${JSON.stringify({ event, ...fields })}\n`);
}
