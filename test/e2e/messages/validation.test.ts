import type { ActionEnvelope, Snapshot } from '@agenthost/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RawClient } from '../../support/rawClient.js';
import { rawSession, startWithTwoRaw, type TestHost } from '../../support/testHost.js';

const hello = { text: 'hello' };
const authorOf = ({ action }: ActionEnvelope) => ('by' in action ? action.by : undefined);

describe('the host refuses', () => {
  let host: TestHost;
  let alice: RawClient;
  let bob: RawClient;

  beforeAll(async () => {
    ({ host, alice, bob } = await startWithTwoRaw());
  });
  afterAll(() => host.dispose());

  /** Sends it as Alice; proves that it was refused, that nothing changed and that Bob heard nothing. Gives back the reason. */
  async function refused(session: string, action: Record<string, unknown>): Promise<string | undefined> {
    const snapshot = () => bob.request<Snapshot>('subscribe', { resource: session });
    const before = await snapshot();
    const heard = bob.received.length;
    const full = { session, ...action };
    const clientSeq = alice.dispatch(full);
    const echo = await alice.echo(clientSeq);
    await bob.fence();
    expect(bob.received.slice(heard).flatMap(({ params }) => params?.envelope ?? [])).toEqual([]);
    expect(await snapshot()).toEqual(before);
    expect(echo).toMatchObject({ action: full, origin: { clientId: 'alice', clientSeq } });
    return echo.rejectionReason;
  }

  describe('[VAL1] by its shape and its kind', () => {
    let session: string;
    beforeAll(async () => {
      session = await rawSession([alice, bob]);
    });

    it.each([
      ['a missing field', { type: 'session/turnStarted', userMessage: hello }, /^invalid action: .*turnId/],
      ['a wrong type', { type: 'session/titleChanged', title: 7 }, /^invalid action: .*title/],
      ['a text without end', { type: 'session/titleChanged', title: 'x'.repeat(1_001) }, /^invalid action: .*title/],
      ['an unsafe id', { type: 'session/turnStarted', turnId: '__proto__', userMessage: hello }, /^invalid action: /],
      ['an empty id', { type: 'session/turnStarted', turnId: '', userMessage: hello }, /^invalid action: /],
      [
        'an unknown kind of pending message',
        { type: 'session/pendingMessageSet', kind: 'later', id: 'm', userMessage: hello },
        /^invalid action: .*kind/,
      ],
    ])('[VAL2] %s', async (_what, action, reason) => {
      expect(await refused(session, action)).toMatch(reason);
    });

    it.each([
      ['session/ready', {}],
      ['session/delta', { turnId: 't', partId: 'p', content: 'x' }],
      ['session/turnComplete', { turnId: 't' }],
      ['session/error', { turnId: 't', error: { errorType: 'x', message: 'x' } }],
      ['session/clientsChanged', { clients: [] }],
      ['root/agentsChanged', { agents: [] }],
    ])('[VAL2] %s, which only the host may dispatch', async (type, payload) => {
      expect(await refused(session, { type, ...payload })).toBe('clients may not dispatch this action');
    });

    it.each(['session/noSuchThing', 'toString', '__proto__', ''])('[VAL2] the unknown action %j', async (type) => {
      expect(await refused(session, { type })).toBe('unknown action');
    });

    it('[VAL1] checks the shape before the session', async () => {
      const echo = await alice.act({ type: 'session/titleChanged', session: 'mock:/none' });
      expect(echo.rejectionReason).toMatch(/^invalid action: /);
    });

    it.each(['mock:/none', 'nobody:/none', 'agenthost:root', 'file:///etc/passwd', 'mock:/../../etc'])(
      '[VAL3] any action for the unknown session %s',
      async (unknown) => {
        const echo = await alice.act({ type: 'session/titleChanged', session: unknown, title: 'x' });
        expect(echo.rejectionReason).toBe('unknown session');
      },
    );
  });

  describe('[VAL3] by its precondition', () => {
    it('a turn before the session is ready, and after its creation failed', async () => {
      const session = `mock:/${crypto.randomUUID()}`;
      await alice.request('createSession', { session, config: { creationDelayMs: 60_000 } });
      const turn = { type: 'session/turnStarted', turnId: 't', userMessage: hello };
      expect((await alice.act({ session, ...turn })).rejectionReason).toBe('session is not ready');
      await alice.request('disposeSession', { session });

      const failed = `mock:/${crypto.randomUUID()}`;
      await alice.request('createSession', { session: failed, config: { failCreation: true } });
      const { lifecycle } = await alice.stateOf(failed);
      if (lifecycle === 'creating') await alice.nextAction(failed, 'session/creationFailed');
      const queued = { type: 'session/pendingMessageSet', kind: 'queued', id: 'm', userMessage: hello };
      for (const action of [turn, queued]) {
        const { rejectionReason } = await alice.act({ session: failed, ...action });
        expect(rejectionReason).toBe('session could not be created: The mock agent was told to fail.');
      }
    });

    it('turns, cancellations and answers that do not fit the running turn', async () => {
      const session = await rawSession([alice, bob]);
      const turn = { type: 'session/turnStarted', userMessage: { text: 'hang' } };
      const cancel = { type: 'session/turnCancelled' };
      expect(await refused(session, { ...cancel, turnId: 'first' })).toBe('no active turn to cancel');
      expect((await alice.act({ session, ...turn, turnId: 'first' })).rejectionReason).toBeUndefined();

      expect(await refused(session, { ...turn, turnId: 'second' })).toBe('a turn is already in progress');
      expect(await refused(session, { ...cancel, turnId: 'second' })).toBe('no active turn to cancel');
      const call = { type: 'session/toolCallConfirmed', turnId: 'first', toolCallId: 'none', approved: true };
      expect(await refused(session, call)).toBe('tool call is not waiting for confirmation');
      expect(await refused(session, { ...call, toolCallId: 'toString' })).toBe(
        'tool call is not waiting for confirmation',
      );
      const answer = { type: 'session/permissionResolved', turnId: 'first', requestId: 'none', approved: true };
      expect(await refused(session, answer)).toBe('unknown permission request ID');
      await alice.act({ session, ...cancel, turnId: 'first' });

      expect(await refused(session, { ...turn, turnId: 'first' })).toBe('turn id is already used');
      expect(await refused(session, { ...cancel, turnId: 'first' })).toBe('no active turn to cancel');
      expect(await refused(session, { ...turn, turnId: 'second', queuedMessageId: 'none' })).toBe(
        'unknown pending message',
      );
      await alice.request('disposeSession', { session });
    });

    it('models, customizations and pending messages that do not exist', async () => {
      const session = await rawSession([alice, bob]);
      expect(await refused(session, { type: 'session/modelChanged', model: 'gpt-0' })).toBe('unknown model');
      expect(await refused(session, { type: 'session/customizationToggled', uri: 'file:///none', enabled: true })).toBe(
        'unknown customization',
      );
      const removed = { type: 'session/pendingMessageRemoved', kind: 'queued', id: 'none' };
      expect(await refused(session, removed)).toBe('unknown pending message');
    });

    it('removing a message under the wrong kind, or one that is in a turn', async () => {
      const session = await rawSession([alice, bob]);
      await alice.act({ session, type: 'session/turnStarted', turnId: 'first', userMessage: { text: 'hang' } });
      const message = { type: 'session/pendingMessageSet', kind: 'queued', id: 'm', userMessage: hello };
      await alice.act({ session, ...message });
      expect(await refused(session, { type: 'session/pendingMessageRemoved', kind: 'steering', id: 'm' })).toBe(
        'unknown pending message',
      );
      expect(await refused(session, { ...message, id: 'first' })).toBe('message is already in a turn');
      await alice.request('disposeSession', { session });
    });

    it('a queue that is full', async () => {
      const session = await rawSession([alice, bob]);
      await alice.act({ session, type: 'session/turnStarted', turnId: 'first', userMessage: { text: 'hang' } });
      const queued = (n: number) => ({
        session,
        type: 'session/pendingMessageSet',
        kind: 'queued',
        id: `m${n}`,
        userMessage: hello,
      });
      const last = Array.from({ length: 100 }, (_, n) => alice.dispatch(queued(n))).at(-1) ?? 0;
      expect((await alice.echo(last)).rejectionReason).toBeUndefined();
      await bob.nextEnvelope(({ origin }) => origin?.clientSeq === last);
      expect(await refused(session, queued(100))).toBe('the queue is full');
      expect((await alice.act({ ...queued(3), userMessage: { text: 'edited' } })).rejectionReason).toBeUndefined();
      await alice.request('disposeSession', { session });
    });

    it('[VAL6] more bytes of waiting messages than a snapshot can have, but not a steering message', async () => {
      const session = await rawSession([alice]);
      await alice.act({ session, type: 'session/turnStarted', turnId: 'first', userMessage: { text: 'hang' } });
      const set = { session, type: 'session/pendingMessageSet', userMessage: { text: 'x'.repeat(60_000) } };
      const reasonOf = async (action: object) => (await alice.act(action)).rejectionReason;
      let queued = 0;
      while (queued < 50 && (await reasonOf({ ...set, kind: 'queued', id: `m${queued}` })) === undefined) queued++;
      expect(queued).toBe(17);
      expect(await reasonOf({ ...set, kind: 'steering', id: 's0' })).toBeUndefined();
      // One that waits can be made shorter, and then there is room again.
      const short = { ...set, kind: 'queued', id: 'm0', userMessage: hello };
      expect(await reasonOf(short)).toBeUndefined();
      expect(await reasonOf({ ...set, kind: 'queued', id: 'last' })).toBeUndefined();
      expect(await reasonOf({ ...set, kind: 'queued', id: 'more' })).toBe('the queue is full');
    });

    it('[VAL6] not a steering message when the queue is full, up to a bound', async () => {
      const session = await rawSession([alice]);
      // This turn takes no steering messages, so that they wait.
      await alice.act({ session, type: 'session/turnStarted', turnId: 'first', userMessage: { text: 'hang' } });
      const set = { session, type: 'session/pendingMessageSet', userMessage: hello };
      const queued = (id: string) => ({ ...set, kind: 'queued', id });
      const steering = (id: string) => ({ ...set, kind: 'steering', id });
      for (let n = 0; n < 99; n++) alice.dispatch(queued(`m${n}`));
      expect((await alice.act(queued('m99'))).rejectionReason).toBeUndefined();
      const reasonOf = async (action: object) => (await alice.act(action)).rejectionReason;

      expect(await reasonOf(steering('s0'))).toBeUndefined();
      expect((await alice.stateOf(session)).queuedMessages).toHaveLength(100);
      // The one that it displaces comes on top.
      expect(await reasonOf(steering('s1'))).toBeUndefined();
      const { queuedMessages = [], steeringMessage } = await alice.stateOf(session);
      expect([steeringMessage?.id, queuedMessages.length, queuedMessages[0]?.id]).toEqual(['s1', 101, 's0']);
      const order = queuedMessages.map(({ id }) => id).toReversed();
      expect(await reasonOf({ session, type: 'session/queuedMessagesReordered', order })).toBeUndefined();

      // Neither of these is a way to queue more.
      expect(await reasonOf(queued('m100'))).toBe('the queue is full');
      expect(await reasonOf(queued('s1'))).toBe('the queue is full');
      const reasons = await Promise.all(Array.from({ length: 300 }, (_, n) => reasonOf(steering(`more${n}`))));
      expect(reasons.filter((reason) => reason === undefined)).toHaveLength(99);
      expect(new Set(reasons.slice(99))).toEqual(new Set(['the queue is full']));
      expect((await alice.stateOf(session)).queuedMessages).toHaveLength(200);
      // What only changes its place needs no room.
      expect(await reasonOf(steering('m3'))).toBeUndefined();
      expect(await reasonOf({ ...steering('m3'), userMessage: { text: 'edited' } })).toBeUndefined();
      expect((await alice.stateOf(session)).queuedMessages).toHaveLength(200);
      await alice.request('disposeSession', { session });
    });
  });

  describe('[VAL4] the first answer wins', () => {
    /** Both answer at once; gives back what each was told, and what the other one's reason has to say. */
    async function race(action: Record<string, unknown>) {
      const sent = [alice.dispatch(action), bob.dispatch(action)] as const;
      const echoOf = (client: RawClient, name: string, clientSeq: number) =>
        client.nextEnvelope(({ origin }) => origin?.clientId === name && origin.clientSeq === clientSeq);
      const echoes = await Promise.all([echoOf(alice, 'alice', sent[0]), echoOf(bob, 'bob', sent[1])]);
      const [winner, loser] = echoes[0].rejectionReason === undefined ? echoes : echoes.toReversed();
      return { winner: winner as ActionEnvelope, loser: loser as ActionEnvelope };
    }

    it('for two confirmations of the same tool call; the second learns who was first', async () => {
      const session = await rawSession([alice, bob]);
      await alice.act({ session, type: 'session/turnStarted', turnId: 't', userMessage: { text: 'confirm-tool' } });
      const { toolCall } = await alice.nextAction(session, 'session/toolStart');
      await bob.nextAction(session, 'session/toolStart');
      const { winner, loser } = await race({
        session,
        type: 'session/toolCallConfirmed',
        turnId: 't',
        toolCallId: toolCall.toolCallId,
        approved: true,
      });
      expect(winner.rejectionReason).toBeUndefined();
      expect(loser.rejectionReason).toBe(
        `tool call is not waiting for confirmation: ${winner.origin?.clientId} answered it`,
      );
      expect(loser.rejection).toEqual({ code: 'notWaitingForConfirmation', by: authorOf(winner) });
      await bob.nextAction(session, 'session/turnComplete');
      const [turn] = (await bob.stateOf(session)).turns;
      expect(turn?.toolCalls).toMatchObject([
        { status: 'completed', confirmed: { how: 'user', by: { name: winner.origin?.clientId } } },
      ]);
    });

    it('for two answers to the same permission request, also when the turn is long over', async () => {
      const session = await rawSession([alice, bob]);
      await alice.act({ session, type: 'session/turnStarted', turnId: 't', userMessage: { text: 'permission' } });
      const { request } = await alice.nextAction(session, 'session/permissionRequest');
      await bob.nextAction(session, 'session/permissionRequest');
      const answer = { session, type: 'session/permissionResolved', turnId: 't', requestId: request.requestId };
      const { winner, loser } = await race({ ...answer, approved: true });
      const reason = `unknown permission request ID: ${winner.origin?.clientId} answered it`;
      expect(winner.rejectionReason).toBeUndefined();
      expect(loser.rejectionReason).toBe(reason);
      expect(loser.rejection).toEqual({ code: 'unknownPermissionRequest', by: authorOf(winner) });
      await bob.nextAction(session, 'session/turnComplete');
      expect((await alice.act({ ...answer, approved: false })).rejectionReason).toBe(reason);
      expect((await bob.stateOf(session)).turns).toMatchObject([{ state: 'complete' }]);
    });
  });
});
