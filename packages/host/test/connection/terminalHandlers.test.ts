import { tmpdir } from 'node:os';
import { RpcError } from '@agenthost/rpc';
import { describe, expect, it } from 'vitest';
import type { ClientConnection } from '../../src/connection/clientConnection.js';
import { createTerminalHandlers } from '../../src/connection/commands/terminalHandlers.js';
import type { HostServices } from '../../src/connection/hostServices.js';
import { Terminals } from '../../src/terminals/terminals.js';

const terminals = new Terminals({ env: {}, send: () => {}, print: () => {}, subscribersOf: () => [] });
const handlers = createTerminalHandlers({ terminals } as unknown as HostServices);

/** A client, and the session that it asks for. */
function client(session: object): ClientConnection {
  const sessions = { open: async () => session, exists: async () => true };
  return { space: 'default', author: { clientId: 'c1' }, sessions } as unknown as ClientConnection;
}

const create = (session: object) =>
  handlers.createTerminal({ session: 'mock:/s1', columns: 80, rows: 24 }, client(session), undefined as never);

describe('a terminal', () => {
  it.each([
    ['that another host owns', {}],
    ['whose machines are away', { awayAt: 'build-7', directory: () => tmpdir() }],
  ])('is refused with a sentence for a session %s', async (_, session) => {
    const refused = create(session);
    await expect(refused).rejects.toThrow(RpcError);
    await expect(refused).rejects.toThrow('This session runs on another host');
  });

  it('is refused where the folder is gone', async () => {
    const gone = create({ directory: () => '/nowhere/at/all' });
    await expect(gone).rejects.toThrow('The folder of this session does not exist.');
  });

  it('is not found when it was closed', () => {
    const params = { terminal: 'agenthost:terminal/none' };
    expect(() => handlers.attachTerminal(params, client({}), undefined as never)).toThrow('This terminal was closed.');
  });
});
