import { roleIncludes, type SessionCommand, type URI } from '@agenthost/protocol';
import { RPC_ERROR, RpcError } from '@agenthost/rpc';
import { uriIn } from '../translate/fileVersions.js';
import type { JsonRecord } from '../translate/json.js';
import { parseChannel } from '../translate/uris.js';
import type { AhpClient } from './ahpClient.js';
import { optionalCount, requiredText } from './params.js';

/** What clients ask for completions after. */
export const COMPLETION_TRIGGERS: readonly string[] = ['/', '@'];

const MAX_ITEMS = 50;
const MAX_TEXT = 100_000;

/** The commands of the agent after a `/` at the start of a message, and files of the session's folder after an `@`. */
export async function completions(client: AhpClient, params: JsonRecord) {
  const named = parseChannel(requiredText(params, 'channel'));
  if (named?.kind !== 'session' && named?.kind !== 'chat') {
    throw new RpcError(RPC_ERROR.invalidParams, 'channel must be a session or a chat');
  }
  const { text } = params;
  if (typeof text !== 'string' || text.length > MAX_TEXT) {
    throw new RpcError(RPC_ERROR.invalidParams, `text must be a text of at most ${MAX_TEXT} characters`);
  }
  const offset = optionalCount(params['offset'], 'offset') ?? text.length;
  const before = text.slice(0, offset);
  const { state } = await client.link(await client.names.find(named.session));
  const command = /^\/(\S*)$/.exec(before)?.[1];
  if (command !== undefined) return { items: commandItems(state.commands ?? [], command, offset) };
  const mention = /(?:^|\s)@(\S*)$/.exec(before)?.[1];
  const { workingDirectory, resource } = state.summary;
  if (mention === undefined || workingDirectory === undefined || !roleIncludes(client.role, 'driver')) {
    return { items: [] };
  }
  return { items: await fileItems(client, resource, workingDirectory, mention, offset) };
}

function commandItems(commands: readonly SessionCommand[], query: string, offset: number) {
  const wanted = query.toLowerCase();
  const ranked = commands
    .map((command) => ({ command, at: command.name.toLowerCase().indexOf(wanted) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at);
  return ranked.slice(0, MAX_ITEMS).map(({ command: { name, description, inputHint } }) => ({
    insertText: `/${name} `,
    rangeStart: 0,
    rangeEnd: offset,
    attachment: {
      type: 'simple',
      label: `/${name}`,
      _meta: {
        command: name,
        ...(description !== undefined && { description }),
        ...(inputHint !== undefined && { argumentHint: inputHint }),
      },
    },
  }));
}

async function fileItems(client: AhpClient, session: URI, folder: URI, query: string, offset: number) {
  const { files } = await client.host.files.find(session, { query, limit: MAX_ITEMS });
  return files.map(({ path, type }) => ({
    insertText: `@${path}${type === 'folder' ? '/' : ''} `,
    rangeStart: offset - query.length - 1,
    rangeEnd: offset,
    attachment: {
      type: 'resource',
      label: path.slice(path.lastIndexOf('/') + 1),
      displayKind: type === 'folder' ? 'directory' : 'document',
      uri: uriIn(folder, path),
    },
  }));
}
