import * as z from 'zod';
import { count, id, label, uri } from './primitives.js';

export const author = z
  .object({ clientId: id, name: label.exactOptional(), device: label.exactOptional() })
  .describe(
    'Who did something. The host makes it from the credential and `clientInfo`; what a client claims is ignored.',
  );

export const errorInfo = z.object({ errorType: z.string(), message: z.string(), stack: z.string().exactOptional() });

export const usageInfo = z
  .object({
    inputTokens: z.number().exactOptional(),
    outputTokens: z.number().exactOptional(),
    cacheReadTokens: z.number().exactOptional(),
    model: z.string().exactOptional(),
    cost: z.number().exactOptional(),
    contextUsed: z
      .number()
      .exactOptional()
      .describe("Tokens in the model's context at the end of the turn, where the agent says so."),
    contextSize: z.number().exactOptional().describe('How many tokens the context holds, where the agent says so.'),
  })
  .describe('Tokens and cost of one turn.');

export const contentRef = z
  .object({ uri, sizeHint: count.exactOptional(), mimeType: label.exactOptional() })
  .describe('Content kept out of state; read it with `fetchContent`.');

export const textPosition = z
  .object({ line: count, character: count })
  .describe('Zero-based, end exclusive, columns in UTF-16 code units.');
export const textRange = z.object({ start: textPosition, end: textPosition });
