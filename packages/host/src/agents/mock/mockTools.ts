import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorMessage, type PendingToolCallStart } from '@agenthost/protocol/internal';
import type { AgentToolResult, Decision } from '../agent.js';
import type { MockTurn } from './mockTurn.js';

const CHUNK_BYTES = 4_096;
const MAX_DIFF = 64 * 1_024;
const NEW_CONTENT = 'Written by the mock agent.\n';

export async function useTool(turn: MockTurn): Promise<void> {
  turn.text('I will look. ');
  const toolCallId = start(turn, { displayName: 'List Files', invocationMessage: 'Listing files', toolInput: '*' });
  for (const output of ['a.txt\n', 'b.txt\n']) {
    turn.emit({ type: 'toolUpdate', toolCallId, output });
    await turn.pause();
  }
  complete(turn, toolCallId, { success: true, pastTenseMessage: 'Listed 2 files', toolOutput: 'a.txt\nb.txt\n' });
  turn.text('There are two files.');
}

export async function confirmTool(turn: MockTurn): Promise<void> {
  const { toolCallId, decision } = await ask(turn, {
    toolName: 'mock_run',
    displayName: 'Run',
    invocationMessage: 'Running `make`',
    toolKind: 'terminal',
    language: 'shellscript',
    toolInput: 'make',
  });
  if (!decision.approved) return turn.text(`Not run${decision.reason ? `: ${decision.reason}` : ''}.`);
  turn.emit({ type: 'toolUpdate', toolCallId, output: `$ ${decision.editedToolInput ?? 'make'}\n` });
  await turn.pause();
  complete(turn, toolCallId, { success: true, pastTenseMessage: 'Ran it (exit 0)', exitCode: 0 });
  turn.text('Done.');
}

/** Asks before it reads, and marks the call as read-only. */
export async function confirmRead(turn: MockTurn): Promise<void> {
  const call = { toolName: 'mock_read', displayName: 'Read', invocationMessage: 'Reading notes.txt' };
  const { toolCallId, decision } = await ask(turn, call, { readOnly: true });
  if (!decision.approved) return turn.text('Not read.');
  complete(turn, toolCallId, { success: true, pastTenseMessage: 'Read notes.txt' });
  turn.text('It says nothing.');
}

export async function bigOutput(turn: MockTurn, bytes: number): Promise<void> {
  const toolCallId = start(turn, { displayName: 'Print', invocationMessage: `Printing ${bytes} bytes` });
  const line = `${'0123456789abcdef'.repeat(4).slice(1)}\n`;
  const chunk = line.repeat(CHUNK_BYTES / line.length);
  for (let left = bytes; left > 0; left -= CHUNK_BYTES) {
    turn.emit({ type: 'toolUpdate', toolCallId, output: chunk.slice(0, left) });
    await turn.pause();
  }
  complete(turn, toolCallId, { success: true, pastTenseMessage: `Printed ${bytes} bytes`, exitCode: 0 });
}

export async function writeFile(turn: MockTurn, path: string): Promise<void> {
  const { toolCallId, decision } = await ask(turn, {
    toolName: 'mock_write',
    displayName: 'Write File',
    invocationMessage: `Writing ${path}`,
    toolInput: NEW_CONTENT,
  });
  if (!decision.approved) return turn.text('Not written.');
  try {
    const { edit, diff, whole } = await replaceInside(turn.cwd, path, decision.editedToolInput ?? NEW_CONTENT);
    const content = [{ type: 'fileEdit', ...edit, ...(diff !== undefined && { diff }), whole }] as const;
    complete(turn, toolCallId, { success: true, pastTenseMessage: `Wrote ${path}`, content });
    turn.emit({ type: 'changes', changes: [edit] });
    turn.text('Written.');
  } catch (error) {
    const message = errorMessage(error);
    complete(turn, toolCallId, { success: false, pastTenseMessage: `Could not write ${path}`, error: { message } });
    turn.text(`Not written: ${message}`);
  }
}

/** Follows neither `..` nor a link: the parent must really be inside, and the file itself must not be a link. */
async function replaceInside(cwd: string, path: string, content: string) {
  const root = await realpath(cwd);
  const wanted = resolve(root, path);
  const target = join(await realpath(dirname(wanted)), basename(wanted));
  const way = relative(root, target);
  if (way === '' || way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) {
    throw new Error(`${path} is outside of the session's folder.`);
  }
  const file = await open(target, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o644);
  try {
    const before = await file.readFile('utf8');
    await file.truncate();
    await file.write(content, 0);
    const edit = {
      uri: pathToFileURL(target).href,
      insertions: lines(content).length,
      deletions: lines(before).length,
    };
    // Opens the file in any case, so that a new file exists and is empty before.
    return { edit, diff: wholeDiff(lines(before), lines(content)), whole: { before, after: content } };
  } finally {
    await file.close();
  }
}

function lines(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/** One hunk that replaces everything; none when that is too large to show. */
function wholeDiff(before: readonly string[], after: readonly string[]): string | undefined {
  const range = (all: readonly string[]) => `${all.length > 0 ? 1 : 0},${all.length}`;
  const hunk = [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)].join('\n');
  return hunk.length > MAX_DIFF ? undefined : `@@ -${range(before)} +${range(after)} @@\n${hunk}\n`;
}

function start(
  turn: MockTurn,
  display: { displayName: string; invocationMessage: string; toolInput?: string },
): string {
  const toolCallId = randomUUID();
  turn.emit({
    type: 'toolStart',
    toolCall: { toolCallId, toolName: 'mock_tool', ...display, status: 'running', confirmed: { how: 'notNeeded' } },
  });
  return toolCallId;
}

async function ask(
  turn: MockTurn,
  call: Omit<PendingToolCallStart, 'toolCallId' | 'status' | 'confirmation'>,
  more: Pick<PendingToolCallStart['confirmation'], 'readOnly'> = {},
): Promise<{ toolCallId: string; decision: Decision }> {
  const toolCallId = randomUUID();
  // Waits before it asks, so that an answer from within the event handler is received too.
  const answered = turn.answer(toolCallId);
  turn.emit({
    type: 'toolStart',
    toolCall: {
      toolCallId,
      ...call,
      status: 'pendingConfirmation',
      confirmation: {
        title: `${call.displayName}?`,
        editable: true,
        ...more,
        options: [
          { id: 'once', label: 'Allow once', kind: 'approve' },
          { id: 'deny', label: 'Deny', kind: 'deny' },
        ],
      },
    },
  });
  return { toolCallId, decision: await answered };
}

function complete(turn: MockTurn, toolCallId: string, result: AgentToolResult): void {
  turn.emit({ type: 'toolComplete', toolCallId, result });
}
