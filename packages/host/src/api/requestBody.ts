import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { MAX_JSON_DEPTH, MAX_JSON_VALUES } from '@agenthost/protocol';
import { parseObject } from '@agenthost/rpc/internal';
import type { ApiAccess } from '../server/apiGate.js';
import { Problem } from './problem.js';

/** Attachments of a message are in it; as JSON for the host it still fits into a frame. */
const MAX_BODY_BYTES = 3 * 1024 * 1024;
const SCHEMA = 'Look into /api/openapi.json for what this route takes.';

export function invalid(detail: string): Problem {
  return new Problem(400, 'invalidRequest', detail, { whatToDo: SCHEMA });
}

/** The object in a body. */
export function parseJson(headers: IncomingHttpHeaders, text: string): object {
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
    throw new Problem(415, 'notJson', 'The body is not said to be JSON.', {
      whatToDo: 'Send it with "Content-Type: application/json".',
    });
  // One level more than here is around it in the frame for the host.
  const value = parseObject(text, { maxDepth: MAX_JSON_DEPTH - 2, maxValues: MAX_JSON_VALUES - 100 });
  if (typeof value === 'string') throw invalid(`The body: ${value}.`);
  return value;
}

export async function readBody(request: IncomingMessage, access: ApiAccess, response: ServerResponse): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  access.hold({
    get heldBytes() {
      return bytes;
    },
    cutOff: () => response.destroy(),
  });
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES)
      throw new Problem(413, 'tooLarge', `The body has more than ${MAX_BODY_BYTES} bytes.`, {
        whatToDo: 'Send large content as several attachments in several messages.',
      });
    chunks.push(chunk);
    access.held();
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw invalid('The body is not UTF-8.');
  }
}
