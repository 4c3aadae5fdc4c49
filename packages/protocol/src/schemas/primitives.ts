import * as z from 'zod';
import { MAX_ID_LENGTH, MAX_TEXT_LENGTH, MAX_TIMESTAMP, MAX_TITLE_LENGTH, MAX_URI_LENGTH } from '../limits.js';

/** An id: short, without control characters, and never one of the keys that are refused on the wire. */
export const id = z
  .string()
  .max(MAX_ID_LENGTH)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is what this is for
  .regex(/^(?!(?:__proto__|constructor|prototype)$)[^\u0000-\u001f\u007f]+$/, 'not a valid id');

export const uri = z.string().min(1).max(MAX_URI_LENGTH);
export const title = z.string().max(MAX_TITLE_LENGTH);
export const messageText = z.string().max(MAX_TEXT_LENGTH);
export const label = z.string().max(MAX_TITLE_LENGTH);
export const path = z.string().min(1).max(MAX_URI_LENGTH);

/** Milliseconds since 1970. */
export const timestamp = z.number().min(0).max(MAX_TIMESTAMP);
export const count = z.int().min(0);
/** A client's count of its actions. */
export const clientSeq = z.int().min(1);
export const sequence = z.int().min(0);
/** Of a turn that the agent began by itself. */
export const turnOrigin = z.literal('agent');
/** Of what a client gives a running tool call. */
export const toolInputKind = z.enum(['line', 'endOfInput', 'interrupt']);
export const anyRecord = z.record(z.string(), z.unknown());
