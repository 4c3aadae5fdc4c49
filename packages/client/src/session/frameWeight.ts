import { MAX_FRAME_BYTES, MAX_JSON_VALUES } from '@agenthost/protocol';
import { jsonValues } from '@agenthost/rpc';

export const MAX_FRAME_WEIGHT = MAX_FRAME_BYTES;
const WEIGHT_OF_VALUE = MAX_FRAME_BYTES / MAX_JSON_VALUES;

/** How much of a frame a value takes: a frame is full with its bytes or with the number of its values, whichever comes first. */
export function frameWeight(value: unknown): number {
  if (value === undefined) return 0;
  const json = JSON.stringify(value);
  return Math.max(new TextEncoder().encode(json).length + 1, jsonValues(json) * WEIGHT_OF_VALUE);
}
