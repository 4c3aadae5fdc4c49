import { ERROR_CODE, type URI } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import { directoryProblem } from '../../sessions/folder/workingDirectory.js';
import { notFound } from '../../sessions/sessionLoader.js';
import type { HostTerminal } from '../../terminals/hostTerminal.js';
import { TerminalError } from '../../terminals/terminals.js';
import type { ClientConnection } from '../clientConnection.js';
import type { CommandHandlers } from '../commandHandlers.js';
import type { HostServices } from '../hostServices.js';

const ELSEWHERE =
  'This session runs on another host, and a terminal is opened where the session runs: connect to that host.';

type TerminalCommand =
  | 'createTerminal'
  | 'listTerminals'
  | 'attachTerminal'
  | 'confirmTerminal'
  | 'detachTerminal'
  | 'sendToTerminal'
  | 'closeTerminal';

/** Terminals of a session. Its space is checked for each command; who may type says the table of roles. */
export function createTerminalHandlers({ terminals }: HostServices): Pick<CommandHandlers, TerminalCommand> {
  return {
    createTerminal: async ({ session, columns, rows }, client) => {
      const cwd = await folderOf(session, client);
      try {
        return terminals.create(client, { session, space: client.space, cwd, columns, rows }).info;
      } catch (error) {
        if (!(error instanceof TerminalError)) throw error;
        const code = error.why === 'tooMany' ? ERROR_CODE.tooManyRequests : ERROR_CODE.notFound;
        throw new RpcError(code, error.message);
      }
    },
    listTerminals: async ({ session }, { sessions, space }) => {
      if (!(await sessions.exists(session))) throw notFound(session);
      return { items: terminals.list(session, space) };
    },
    // Not a promise: nothing may be printed between the screen and the answer.
    attachTerminal: ({ terminal: uri }, client) => {
      const terminal = find(uri, client);
      const attached = terminal.attach(client);
      return { terminal: terminal.info, ...attached };
    },
    confirmTerminal: ({ terminal, offset }, client) => {
      find(terminal, client).confirm(client, offset);
      return null;
    },
    detachTerminal: ({ terminal }, client) => {
      find(terminal, client).detach(client);
      return null;
    },
    sendToTerminal: ({ terminal, ...input }, client) => {
      const isTyped = find(terminal, client).send(client, input);
      // A key must not wait for what is stored.
      client.answerAtOnce();
      return { isTyped };
    },
    closeTerminal: ({ terminal }, client) => {
      terminals.close(find(terminal, client));
      return null;
    },
  };

  function find(uri: URI, { space }: ClientConnection): HostTerminal {
    const terminal = terminals.find(uri, space);
    if (terminal) return terminal;
    throw new RpcError(ERROR_CODE.notFound, 'This terminal was closed.');
  }
}

/** The folder of a session that this host owns. */
async function folderOf(session: URI, { sessions }: ClientConnection): Promise<string> {
  const open = await sessions.open(session);
  const folder = open.awayAt === undefined ? open.directory?.() : undefined;
  if (folder === undefined) throw new RpcError(ERROR_CODE.permissionDenied, ELSEWHERE);
  const problem = await directoryProblem(folder);
  if (problem !== undefined) throw new RpcError(ERROR_CODE.notFound, `The folder of this session ${problem}.`);
  return folder;
}
