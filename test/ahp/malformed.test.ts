import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AhpFrame, AhpTestClient } from '../support/ahpClient.js';
import { type AhpTestHost, ahpSession, ahpSubscribe, ahpTurn, startAhpHost } from '../support/ahpHost.js';

let host: AhpTestHost;
beforeAll(async () => {
  host = await startAhpHost({ maxWaitingActions: 1_000 });
});
afterAll(() => host.dispose());

const METHODS = [
  ...['initialize', 'reconnect', 'subscribe', 'createSession', 'disposeSession', 'listSessions', 'fetchTurns'],
  ...[
    'resourceRead',
    'resourceList',
    'resourceResolve',
    'resolveSessionConfig',
    'completions',
    'createChat',
    'disposeChat',
    'sessionConfigCompletions',
    'nonsense',
  ],
];
const ACTIONS = [
  ...['chat/turnStarted', 'chat/turnCancelled', 'chat/toolCallConfirmed', 'chat/inputCompleted', 'chat/draftChanged'],
  ...['chat/pendingMessageSet', 'chat/pendingMessageRemoved', 'chat/queuedMessagesReordered', 'chat/turnComplete'],
  ...['chat/delta', 'chat/error', 'chat/truncated', 'session/titleChanged', 'session/isReadChanged', 'session/ready'],
  ...['session/isArchivedChanged', 'session/activeClientSet', 'session/activeClientRemoved', 'session/configChanged'],
  ...[
    'root/configChanged',
    'root/agentsChanged',
    'session/creationFailed',
    'changeset/fileSet',
    'changeset/filesReviewChanged',
    'nonsense',
    '',
  ],
];
const KEYS = [
  ...['turnId', 'message', 'text', 'id', 'kind', 'order', 'toolCallId', 'approved', 'requestId', 'answers', 'draft'],
  ...['activeClient', 'clientId', 'config', 'title', 'isRead', 'uri', 'cursor', 'view', 'limit', 'subscriptions'],
  ...['protocolVersions', 'attachments', 'model', 'response', 'selectedOptionId', 'queuedMessageId'],
  ...['chat', 'source', 'initialMessage', 'files', 'reviewed', 'offset', 'property', 'workingDirectory', 'provider'],
];
/** What is in the place of anything. */
const value = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    1e300,
    '',
    't1',
    'steering',
    'queued',
    'accept',
    '../..',
    'file:///',
  ),
  fc.string({ maxLength: 8 }),
  fc.array(fc.constantFrom<unknown>('a', 1, null, {}), { maxLength: 3 }),
  fc.jsonValue({ maxDepth: 2 }),
);
/** Some of it makes sense, so that turns begin and calls wait. */
const fields = fc
  .tuple(
    fc.dictionary(fc.constantFrom(...KEYS), value, { maxKeys: 6 }),
    fc.constantFrom('hello', 'confirm-tool', 'question'),
    fc.nat(3),
  )
  .map(([given, text, n]) =>
    n === 0 ? { ...given, turnId: 't1', id: 'm1', kind: 'queued', message: { text } } : given,
  );

/** `channel` is filled in when it is sent: the session, its chat, the root, or nothing of the kind. */
const frame = fc.oneof(
  fc.record({
    kind: fc.constant('text' as const),
    text: fc.oneof(
      fc.string(),
      fc.constantFrom(
        '{',
        '[]',
        'null',
        '[1]',
        '{"id":1}',
        '{"jsonrpc":"2.0","method":"dispatchAction","params":{"__proto__":{}}}',
      ),
    ),
  }),
  fc.record({
    kind: fc.constant('request' as const),
    method: fc.constantFrom(...METHODS),
    channel: fc.constantFrom(0, 1, 2, 3, 4),
    params: fc.oneof({ weight: 9, arbitrary: fields }, { weight: 1, arbitrary: value }),
  }),
  fc.record({
    kind: fc.constant('dispatch' as const),
    channel: fc.constantFrom(0, 1, 2, 3, 4),
    type: fc.constantFrom(...ACTIONS),
    fields,
  }),
);

it('answers every message, and the session continues', async () => {
  const victim = await host.client('watches');
  const { session, chat } = await ahpSession(victim);
  await victim.act(chat, ahpTurn('hello'));
  await victim.action('chat/turnComplete');
  const channels = [session, chat, 'ahp-root://', 'mock:/nobody', 'ahp-chat:/%'];
  const client = await host.client('talks nonsense');
  await ahpSubscribe(client, session);
  let [requests, dispatched] = [0, 0];
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { maxLength: 25 }), async (frames) => {
      const waits: Promise<unknown>[] = [];
      for (const each of frames) {
        const channel = channels[each.kind === 'text' ? 0 : each.channel] ?? '';
        if (each.kind === 'text') client.socket.send(each.text);
        else if (each.kind === 'request') {
          // Its own session must not be deleted by the word that does it.
          if (each.method === 'disposeSession' && channel === session) continue;
          requests++;
          const params = isObject(each.params) ? { channel, ...each.params } : each.params;
          waits.push(client.ask(each.method, params as object).then(expectCode));
        } else {
          dispatched++;
          const clientSeq = client.dispatch(channel, { ...each.fields, type: each.type });
          waits.push(client.next((frame) => isAnswerTo(frame, clientSeq), `the answer to ${JSON.stringify(each)}`));
        }
      }
      await Promise.all(waits);
      await endTurn(client, victim, session, chat);
      const turn = ahpTurn('hello');
      expect(await victim.act(chat, turn)).not.toHaveProperty('rejectionReason');
      await victim.action('chat/turnComplete', ({ action }) => action.turnId === turn.turnId);
    }),
    { numRuns: 25, seed: 1, endOnFailure: true },
  );
  expect(requests).toBeGreaterThan(20);
  expect(dispatched).toBeGreaterThan(20);
  expect(host.logged.filter((line) => line.includes('failed'))).toEqual([]);
}, 120_000);

/** A turn that the nonsense happened to begin, or a message that it left in the queue. */
async function endTurn(client: AhpTestClient, victim: AhpTestClient, session: string, chat: string): Promise<void> {
  for (;;) {
    const { state } = (await ahpSubscribe(client, session)).snapshots.chat;
    const waiting = [state.steeringMessage, ...(state.queuedMessages ?? [])].filter(Boolean);
    if (!state.activeTurn && waiting.length === 0) return;
    if (state.activeTurn) {
      await victim.act(chat, { type: 'chat/turnCancelled', turnId: state.activeTurn.id, duration: 0 });
      continue;
    }
    const kind = state.steeringMessage ? 'steering' : 'queued';
    await victim.act(chat, { type: 'chat/pendingMessageRemoved', kind, id: waiting[0].id });
  }
}

function expectCode({ error }: AhpFrame): void {
  if (error) expect(error.code).toSatisfy((code: number) => code <= -32000 && code >= -32700 && code !== -32603);
}

function isAnswerTo({ method, params }: AhpFrame, clientSeq: number): boolean {
  return method === 'action' && params.origin?.clientSeq === clientSeq;
}

function isObject(params: unknown): params is object {
  return typeof params === 'object' && params !== null && !Array.isArray(params);
}
