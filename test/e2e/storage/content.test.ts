import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostClient, SessionHandle } from '@agenthost/client';
import type { ToolCallState, Turn } from '@agenthost/protocol';
import { INLINE_CONTENT_LIMIT, parseContentUri, viewToolOutput } from '@agenthost/protocol/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestHost, type TestHost } from '../../support/testHost.js';
import { until } from '../../support/until.js';

describe('large tool output', () => {
  let host: TestHost;
  let client: HostClient;

  beforeAll(async () => {
    host = await startTestHost();
    client = await host.connect();
  });
  afterAll(() => host.dispose());

  async function turnOf(prompt: string): Promise<{ session: SessionHandle; turn: Turn }> {
    const session = await client.createSession({ provider: 'mock' });
    await session.ready();
    await session.send(prompt);
    const { turns } = await until(session.confirmed, (state) => state.turns.length === 1, 'the end of the turn');
    const [turn] = turns;
    if (!turn) throw new Error('there is no turn');
    return { session, turn };
  }

  const outputOf = (call: ToolCallState | undefined) =>
    call && call.status !== 'pendingConfirmation' ? call.output : undefined;

  it('is stored completely, in pieces, with its head and tail in the state', async () => {
    const bytes = 300_000;
    const { session, turn } = await turnOf(`big-output ${bytes}`);
    const output = outputOf(turn.toolCalls[0]);
    const ref = output?.ref;
    expect(output).toMatchObject({ truncated: true, ref: { sizeHint: bytes } });
    if (!output || !ref) throw new Error('there is no reference');
    const whole = await client.fetchContent(ref.uri);
    expect([whole.size, whole.bytes.length]).toEqual([bytes, bytes]);
    const { head, tail } = viewToolOutput(output);
    expect(whole.text().startsWith(head) && whole.text().endsWith(tail)).toBe(true);
    const piece = await client.fetchContent(ref.uri, { range: { offset: 100_000, length: 50 } });
    expect([piece.text(), piece.size]).toEqual([whole.text().slice(100_000, 100_050), bytes]);
    const beyond = await client.fetchContent(ref.uri, { range: { offset: bytes + 5, length: 10 } });
    expect([beyond.bytes.length, beyond.size]).toEqual([0, bytes]);
    const { sessionId, contentId } = parseContentUri(ref.uri) ?? { sessionId: '', contentId: '' };
    const file = join(host.stateDir, 'session-state', sessionId, 'files', contentId);
    expect(await readFile(file, 'utf8')).toBe(whole.text());

    const fork = await client.forkSession({ source: session.uri });
    const copied = outputOf(fork.confirmed.value.turns[0]?.toolCalls[0])?.ref?.uri ?? '';
    expect(copied).not.toBe(ref.uri);
    await client.disposeSession(session.uri);
    expect((await client.fetchContent(copied)).text()).toBe(whole.text());
    await expect(client.fetchContent(ref.uri)).rejects.toMatchObject({ code: -32006 });
  });

  it('is not stored twice while it is short', async () => {
    const { turn } = await turnOf(`big-output ${INLINE_CONTENT_LIMIT}`);
    expect(outputOf(turn.toolCalls[0])).not.toHaveProperty('ref');
  });

  it.each(['mock://nobody/output-1.txt', 'mock:/nobody', 'nonsense', 'mock://../x', 'mock://a/../../token'])(
    'does not exist at %s',
    async (uri) => {
      await expect(client.fetchContent(uri)).rejects.toMatchObject({ code: -32006 });
    },
  );
});
