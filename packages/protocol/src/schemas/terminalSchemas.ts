import * as z from 'zod';
import { MAX_TERMINAL_INPUT, MAX_TERMINAL_SIZE } from '../limits.js';
import { author } from './commonSchemas.js';
import { clientSeq, count, timestamp, title, uri } from './primitives.js';

const yes = z.literal(true).exactOptional();
const columns = z.int().min(1).max(MAX_TERMINAL_SIZE);
const rows = z.int().min(1).max(MAX_TERMINAL_SIZE);

export const terminalKeyboard = z
  .object({
    by: author,
    isTyping: z.boolean().describe('Others have to take the keyboard. False after five seconds without a key.'),
  })
  .describe('Who typed last. The size of its window is the size of the terminal.');

export const sharedTerminal = z
  .object({
    terminal: uri.describe('`agenthost:terminal/<id>`'),
    session: uri,
    title: title.describe('Ready to display.'),
    columns,
    rows,
    createdAt: timestamp,
    keyboard: terminalKeyboard,
    exitCode: z.int().exactOptional().describe('There when its program has ended; 128 and more for a signal.'),
  })
  .describe('A terminal of the host that the clients of a session share.');

export const createTerminalParams = z.object({ session: uri, columns, rows });
export const listTerminalsParams = z.object({ session: uri });
export const listTerminalsResult = z.object({ items: z.array(sharedTerminal).describe('Oldest first.') });
export const terminalParams = z.object({ terminal: uri });
export const terminalScreen = z.object({
  terminal: sharedTerminal,
  screen: z.string().describe('To be written into an empty terminal: the newest output, beginning with a reset.'),
  offset: count.describe('Of the output that comes next.'),
  seq: count.describe('The newest input of this client that has arrived; it counts on from there.'),
});
export const confirmTerminalParams = z
  .object({ terminal: uri, offset: count.describe('Behind the last output that the client has shown.') })
  .describe('A client that confirms too little gets a whole screen, later, in place of what it missed.');
export const sendToTerminalParams = z.object({
  terminal: uri,
  seq: clientSeq.describe('Counts up for each client; what has arrived already is not typed again.'),
  data: z.string().max(MAX_TERMINAL_INPUT).exactOptional().describe('What was typed.'),
  isReply: yes.describe("The data is the terminal's own answer to its program. It counts only from who typed last."),
  take: yes.describe('Takes the keyboard from whoever types.'),
  size: z.object({ columns, rows }).exactOptional().describe("The size of this client's window from now on."),
});
export const sendToTerminalResult = z.object({
  isTyped: z.boolean().describe('False while somebody else types: take the keyboard, or wait.'),
});
