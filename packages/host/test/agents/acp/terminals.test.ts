import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClientApp, methods } from '@agentclientprotocol/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Terminals } from '../../../src/agents/acp/terminals.js';
import { ownMarker } from '../../../src/agents/orphans/orphanAgents.js';
import { findProcesses } from '../../../src/processes/processList.js';

const MAX_TERMINALS = 3;

type Handler = (context: { readonly params: object }) => Promise<{ readonly terminalId: string }>;

describe('terminals of an ACP agent', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agenthost-test-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Real processes; of the SDK only where handlers are registered, so that requests can come in the same moment. */
  function opened() {
    const handlers = new Map<unknown, Handler>();
    const app = {
      onRequest(method: unknown, handler: Handler) {
        handlers.set(method, handler);
        return app;
      },
    };
    const env = { PATH: process.env['PATH'] ?? '' };
    const terminals = new Terminals({ cwd: folder, env, stateDir: folder, maxTerminals: MAX_TERMINALS });
    terminals.serve(app as unknown as ClientApp);
    const create = (params: object = {}) =>
      handlers.get(methods.client.terminal.create)?.({
        params: { sessionId: 's', command: 'sleep', args: ['1000'], ...params },
      });
    return { terminals, create, processes: () => findProcesses({ marker: ownMarker(folder) }) };
  }

  it('are limited, also when all are requested at once', async () => {
    const { terminals, create, processes } = opened();
    const outcomes = await Promise.allSettled(Array.from({ length: MAX_TERMINALS + 5 }, () => create()));
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect([refused.length, (await processes()).length]).toEqual([5, MAX_TERMINALS]);
    await terminals.dispose();
    expect(await processes()).toEqual([]);
  });

  it('leave no process when one is requested while they end', async () => {
    const { terminals, create, processes } = opened();
    const late = expect(create()).rejects.toThrow('the session has ended');
    await terminals.dispose();
    expect(await processes()).toEqual([]);
    await late;
    await expect(create()).rejects.toThrow('the session has ended');
  });

  it('run only in the project folder and below it, whatever a folder is called', async () => {
    const { terminals, create } = opened();
    await mkdir(join(folder, '..odd'));
    await expect(create({ cwd: join(folder, '..odd') })).resolves.toMatchObject({ terminalId: expect.any(String) });
    await expect(create({ cwd: join(folder, '..') })).rejects.toThrow('is not a folder of this session');
    await terminals.dispose();
  });
});
