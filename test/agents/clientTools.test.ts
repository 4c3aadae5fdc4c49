import { describe, expect, it } from 'vitest';
import { text, toolCall } from '../support/modelServer/modelReply.js';
import type { ModelRequest } from '../support/modelServer/modelRequest.js';
import type { ModelServer } from '../support/modelServer/modelServer.js';
import { until } from '../support/until.js';
import { recordCapability } from './support/capabilities.js';
import { said, startReportsHost } from './support/reportsHost.js';

const use = ({ tools }: ModelRequest) =>
  toolCall(tools.find((name) => name.endsWith('find_door')) ?? 'mcp__agenthost__find_door', { colour: 'RED-DOOR' });

/** What the model was told. Not every agent reports it. */
const resultsOf = ({ requests }: ModelServer) => requests.flatMap(({ toolResults }) => toolResults).join('\n');

/** Every real agent calls a tool of a client, and hears when the client is gone. */
describe.each(['copilot', 'claude', 'codex', 'gemini', 'opencode', 'copilot-acp'] as const)('%s', (provider) => {
  it('calls a tool of a client, and is told when the client is gone', { timeout: 180_000 }, async () => {
    const { model, client, open, connect } = await startReportsHost(provider, { servers: false });
    model.script('find it', use, text('Found.')).script('find it again', use, text('Not found.'));

    const session = await open();
    const other = await connect({ clientInfo: { name: 'The Editor' } });
    const inputs: unknown[] = [];
    await (await other.openSession(session.uri)).registerTools([
      {
        name: 'find_door',
        description: 'Finds a door.',
        inputSchema: { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] },
        handler: (input) => {
          inputs.push(input);
          return 'BEHIND-THE-STAIRS';
        },
      },
    ]);
    const turn = await said(session, 'find it');
    expect(inputs).toEqual([{ colour: 'RED-DOOR' }]);
    expect(resultsOf(model)).toContain('BEHIND-THE-STAIRS');
    expect(turn.toolCalls).toMatchObject([{ clientName: 'The Editor', status: 'completed' }]);
    other.close();
    await until(session.confirmed, ({ clientTools }) => clientTools === undefined, 'no tools');
    const gone = await said(session, 'find it again');
    expect(resultsOf(model)).toContain('The Editor, the client that offered it, is gone');
    expect(gone.state).toBe('complete');
    client.close();
    recordCapability(provider, 'clientTool', 'yes');
  });
});
