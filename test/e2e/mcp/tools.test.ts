import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestHost, type TestHost } from '../../support/testHost.js';
import { call, overHttp, overStdio, started } from './support.js';

const NAMES = [
  ...['list_agents', 'list_sessions', 'search_sessions', 'read_session', 'read_changes'],
  ...['create_session', 'send_message', 'wait_for_turn', 'answer_question', 'cancel'],
];

let host: TestHost;
beforeAll(async () => {
  host = await startTestHost();
});
afterAll(() => host.dispose());

describe.each(['streamable HTTP', 'streamable HTTP of 2026', 'stdio'])(
  'the tools, with the official client over %s',
  (way) => {
    let client: Client;
    beforeAll(async () => {
      client =
        way === 'stdio' ? (await overStdio(host)).client : await overHttp(host, { isModern: way.endsWith('2026') });
    });
    afterAll(() => client.close());

    it('are listed, with schemas, and those that only read say so', async () => {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name).sort()).toEqual([...NAMES].sort());
      for (const { inputSchema, description } of tools) {
        expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
        expect(description?.length).toBeGreaterThan(20);
      }
      const reads = tools.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name);
      expect(reads.sort()).toEqual([...NAMES.slice(0, 5), 'wait_for_turn'].sort());
    });

    it('start a session, wait for its turn, and read what was said', async () => {
      const { session, turnId } = await started(client, 'hello');
      const waited = await call(client, 'wait_for_turn', { session, turnId });
      expect(waited).toMatchObject({ status: 'ended', turn: { id: turnId, state: 'complete' } });
      expect(waited.turn.text).toContain('## User\nhello');
      const read = await call(client, 'read_session', { session });
      expect(read).toMatchObject({ session, agent: 'mock', status: 'idle', turns: [{ id: turnId }] });
      expect(await call(client, 'wait_for_turn', { session })).toMatchObject({ status: 'ended', turn: { id: turnId } });
    });

    it('answer a question of the agent, which then goes on', async () => {
      const { session, turnId } = await started(client, 'permission');
      const asked = await call(client, 'wait_for_turn', { session, turnId });
      expect(asked).toMatchObject({ status: 'inputNeeded', questions: [{ turnId }] });
      const [{ toolCallId, requestId }] = asked.questions;
      const id = toolCallId === undefined ? { requestId } : { toolCallId };
      expect(await call(client, 'answer_question', { session, turnId, ...id, approved: true })).toEqual({
        answered: true,
      });
      expect(await call(client, 'wait_for_turn', { session, turnId })).toMatchObject({ status: 'ended' });
      expect(await call(client, 'answer_question', { session, turnId, ...id, approved: true })).toHaveProperty(
        'whatToDo',
      );
    });

    it('queue a message, cancel a turn, and say what stands in the way', async () => {
      const { session, turnId } = await started(client, 'slow');
      expect(await call(client, 'send_message', { session, text: 'hello' })).toMatchObject({
        error: 'turnInProgress',
        whatToDo: expect.stringContaining('wait_for_turn'),
      });
      await call(client, 'send_message', { session, text: 'hello', kind: 'queued' });
      expect(await call(client, 'wait_for_turn', { session, turnId, seconds: 0 })).toMatchObject({ status: 'running' });
      expect(await call(client, 'cancel', { session })).toEqual({ cancelled: turnId });
      const waited = await call(client, 'wait_for_turn', { session });
      expect(waited).toMatchObject({ status: 'ended', turn: { state: 'complete' } });
      expect(waited.turn.text).toContain('hello');
      expect(await call(client, 'cancel', { session })).toMatchObject({ error: 'noSuchTurn' });
    });

    it('tell that a wait goes on, and end it with the one who waits', async () => {
      const { session } = await started(client, 'slow');
      const left = new AbortController();
      const told: unknown[] = [];
      const waiting = client.callTool(
        { name: 'wait_for_turn', arguments: { session, seconds: 600 } },
        {
          signal: left.signal,
          onprogress: (progress) => {
            told.push(progress);
            left.abort();
          },
        },
      );
      await expect(waiting).rejects.toThrow();
      expect(told).toMatchObject([{ progress: 1, message: expect.stringContaining('still runs') }]);
      await call(client, 'cancel', { session });
    });

    it('find sessions and list agents', async () => {
      const word = `zebra${way.length}`;
      const { session, turnId } = await started(client, `echo ${word}`);
      await call(client, 'wait_for_turn', { session, turnId });
      const deadline = AbortSignal.timeout(5_000);
      for (;;) {
        const found = await call(client, 'search_sessions', { text: word });
        if (found.total === 1 && found.sessions[0].found?.includes(word)) break;
        deadline.throwIfAborted();
      }
      const listed = await call(client, 'list_sessions', { agent: 'mock', limit: 1 });
      expect(listed.sessions).toHaveLength(1);
      expect(listed.cursor).toEqual(expect.any(String));
      expect((await call(client, 'list_sessions', { limit: 1, cursor: listed.cursor })).sessions).toHaveLength(1);
      const { agents } = await call(client, 'list_agents');
      expect(agents).toContainEqual(expect.objectContaining({ agent: 'mock', availability: 'available' }));
    });
  },
);
