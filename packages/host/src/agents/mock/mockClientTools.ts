import { randomUUID } from 'node:crypto';
import { errorMessage } from '@agenthost/protocol/internal';
import type { ToolServer } from '../clientTools.js';
import type { MockTurn } from './mockTurn.js';

/** `client-tool NAME JSON` asks, calls a tool of a client, and says what came back; `client-tool NAME! JSON` does not ask. */
export async function callClientTool(turn: MockTurn, argument: string): Promise<void> {
  const [, name = '', now = '', json = ''] = /^([^\s!]*)(!?)\s*(.*)$/s.exec(argument) ?? [];
  const { clientTools } = turn;
  if (!clientTools) return turn.text('There are no tools of clients.');
  const toolCallId = randomUUID();
  const call = { toolCallId, toolName: name, displayName: name, invocationMessage: `Using ${name}`, toolInput: json };
  if (now === '') {
    const answered = turn.answer(toolCallId);
    const confirmation = { title: `${name}?` };
    turn.emit({ type: 'toolStart', toolCall: { ...call, status: 'pendingConfirmation', confirmation } });
    if (!(await answered).approved) return turn.text('Not used.');
  } else {
    turn.emit({ type: 'toolStart', toolCall: { ...call, status: 'running', confirmed: { how: 'notNeeded' } } });
  }
  const { content, isError } = await clientTools.call(name, inputOf(json), turn.signal);
  const output = content.map((item) => (item.type === 'text' ? item.text : `${item.mimeType} ${item.data}`)).join('\n');
  const result = { success: !isError, pastTenseMessage: `Used ${name}`, toolOutput: output };
  turn.emit({ type: 'toolComplete', toolCallId, result });
  turn.text(`${isError ? 'Failed' : 'Answered'}: ${output}`);
}

export function listClientTools(turn: MockTurn): void {
  turn.text(turn.clientTools?.all.map(({ name }) => name).join(' ') ?? 'None.');
}

/** Serves the tools of clients over MCP, says where and with which token, and ends that when the turn ends. */
export async function serveClientTools(turn: MockTurn): Promise<void> {
  let server: ToolServer | undefined;
  try {
    server = await turn.clientTools?.serve();
    turn.text(server ? `${server.url} ${server.headers['Authorization']}` : 'There are no tools of clients.');
    if (server) await turn.steering();
  } finally {
    server?.dispose();
  }
}

function inputOf(json: string): unknown {
  try {
    return json === '' ? {} : JSON.parse(json);
  } catch (error) {
    return errorMessage(error);
  }
}
