import * as z from 'zod';
import { count, id, label, uri } from './primitives.js';

export const author = z.object({ clientId: id, name: label.exactOptional(), device: label.exactOptional() });

export const errorInfo = z.object({ errorType: z.string(), message: z.string(), stack: z.string().exactOptional() });

export const usageInfo = z.object({
  inputTokens: z.number().exactOptional(),
  outputTokens: z.number().exactOptional(),
  cacheReadTokens: z.number().exactOptional(),
  model: z.string().exactOptional(),
  cost: z.number().exactOptional(),
  contextUsed: z.number().exactOptional(),
  contextSize: z.number().exactOptional(),
});

export const contentRef = z.object({
  uri,
  sizeHint: count.exactOptional(),
  mimeType: label.exactOptional(),
});

export const textPosition = z.object({ line: count, character: count });
export const textRange = z.object({ start: textPosition, end: textPosition });
