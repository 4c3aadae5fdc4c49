import {
  type ClientAction,
  createSessionState,
  REJECTION,
  type SessionAction,
  type SessionState,
  type UserMessage,
} from '@agenthost/protocol';
import { INLINE_CONTENT_LIMIT } from '@agenthost/protocol/internal';
import { describe, expect, it } from 'vitest';
import { AcceptedSequences } from '../../../src/sessions/turn/acceptedSequences.js';
import { ActionIntake } from '../../../src/sessions/turn/actionIntake.js';
import type { Subscriber } from '../../../src/state/publisher.js';

const LARGE = INLINE_CONTENT_LIMIT + 1;

function queued(id: string, length = 0): ClientAction {
  const attachments = length > 0 ? [{ kind: 'text', label: id, data: 'x'.repeat(length) } as const] : [];
  const userMessage = { text: id, attachments };
  return { type: 'session/pendingMessageSet', session: 'mock:/s', at: 1, kind: 'queued', id, userMessage };
}

function textOf(action: SessionAction): string {
  return 'userMessage' in action ? action.userMessage.text : action.type;
}

/** A store that notes what it is told and keeps its state. */
function setUp({ state, isTurnStored }: { state?: Partial<SessionState>; isTurnStored?: () => Promise<boolean> } = {}) {
  const storing: { readonly text: string; finish(error?: Error): Promise<void> }[] = [];
  const decided: string[] = [];
  const errors: unknown[] = [];
  const accepted = new AcceptedSequences();
  let accept = (action: ClientAction): void => void decided.push(textOf(action));
  let closed: 'removed' | 'unloaded' | undefined;
  const intake = new ActionIntake({
    store: {
      state: { ...createSessionState({ resource: 'mock:/s', provider: 'mock', createdAt: 1 }), ...state },
      accepted,
      accept: ({ author }, clientSeq, action) => {
        accepted.add(author.clientId, { clientSeq, serverSeq: 1, fingerprint: 1 });
        accept(action);
      },
      reject: (_sender, _clientSeq, action, { rejectionReason }) =>
        void decided.push(`${textOf(action)}: ${rejectionReason}`),
      repeat: (_sender, _clientSeq, action) => void decided.push(`${textOf(action)} again`),
    },
    pasted: {
      keep: (message) =>
        new Promise<UserMessage>((resolve, reject) => {
          const finish = async (error?: Error) => {
            if (error) reject(error);
            else resolve({ text: `${message.text} kept` });
            await new Promise((settled) => setImmediate(settled));
          };
          storing.push({ text: message.text, finish });
        }),
    },
    models: () => undefined,
    giveInput: () => undefined,
    isTurnIndexed: () => undefined,
    isTurnStored: isTurnStored ?? (async () => false),
    closed: () => closed,
    beforeDecision: () => {},
    onError: (error) => errors.push(error),
  });
  const sequences = new Map<string, number>();
  const dispatch = (clientId: string, action: ClientAction, clientSeq = (sequences.get(clientId) ?? 0) + 1) => {
    const sender: Subscriber = { author: { clientId }, protocolVersion: 1, deliver: () => {}, cutOff: () => {} };
    sequences.set(clientId, clientSeq);
    intake.dispatch(sender, clientSeq, action);
  };
  const failNext = () => {
    const before = accept;
    accept = () => {
      accept = before;
      throw new Error('broken');
    };
  };
  const close = (reason: 'removed' | 'unloaded') => {
    closed = reason;
  };
  return { intake, dispatch, storing, decided, errors, failNext, close };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('ActionIntake', () => {
  it('accepts a short message at once and a large one when it is stored, in the order of each client', async () => {
    const { intake, dispatch, storing, decided } = setUp();
    dispatch('a', queued('a1'));
    expect(decided).toEqual(['a1']);
    dispatch('a', queued('a2', LARGE));
    dispatch('a', queued('a3'));
    dispatch('b', queued('b1'));
    expect([decided, intake.isBusy]).toEqual([['a1', 'b1'], true]);
    await settle();
    await storing[0]?.finish();
    expect([decided, intake.isBusy]).toEqual([['a1', 'b1', 'a2 kept', 'a3'], false]);
    await intake.settled();
  });

  it('rejects a message whose content could not be stored, and continues', async () => {
    const { dispatch, storing, decided } = setUp();
    dispatch('a', queued('a1', LARGE));
    dispatch('a', queued('a2'));
    await settle();
    await storing[0]?.finish(new Error('disk full'));
    expect(decided).toEqual(['a1: could not be stored: disk full', 'a2']);
  });

  it('does not store the content of a message that is rejected anyway', () => {
    const { dispatch, storing, decided } = setUp({ state: { lifecycle: 'creationFailed' } });
    dispatch('a', queued('a1', LARGE));
    expect([decided, storing]).toEqual([[expect.stringContaining('a1: ')], []]);
  });

  it('does not store the content of a message that was accepted before', async () => {
    const { dispatch, storing, decided } = setUp();
    dispatch('a', queued('a1', LARGE));
    await settle();
    await storing[0]?.finish();
    dispatch('a', queued('a1', LARGE), 1);
    expect([decided, storing.length]).toEqual([['a1 kept', 'a1 again'], 1]);
  });

  it('rejects messages beyond the bytes that may wait', async () => {
    const { dispatch, storing, decided, intake } = setUp();
    for (let n = 0; n < 20; n++) dispatch(`client ${n}`, queued(`m${n}`, 3_000_000));
    const rejected = Array.from({ length: 9 }, (_, n) => `m${n + 11}: ${REJECTION.contentBusy}`);
    expect(decided).toEqual(rejected);
    await settle();
    for (const { finish } of storing) await finish();
    expect([decided.length, intake.isBusy]).toEqual([20, false]);
    dispatch('client 1', queued('later', 3_000_000));
    expect(intake.isBusy).toBe(true);
  });

  it('continues after an action that fails', async () => {
    const { dispatch, storing, errors, decided, failNext } = setUp();
    failNext();
    dispatch('a', queued('a1', LARGE));
    dispatch('a', queued('a2'));
    await settle();
    await storing[0]?.finish();
    expect([errors, decided]).toEqual([[new Error('broken')], ['a2']]);
  });

  it('lets an action wait while its turn id is looked up, and the later ones of the same client behind it', async () => {
    const found = Promise.withResolvers<boolean>();
    const { intake, dispatch, decided } = setUp({ state: { earlierTurns: 1 }, isTurnStored: () => found.promise });
    dispatch('a', queued('a1'));
    dispatch('a', { type: 'session/titleChanged', session: 'mock:/s', at: 1, title: 'Title' });
    dispatch('b', { type: 'session/isReadChanged', session: 'mock:/s', at: 1, isRead: true });
    expect(decided).toEqual(['session/isReadChanged']);
    found.resolve(false);
    await intake.settled();
    expect(decided).toEqual(['session/isReadChanged', 'a1', 'session/titleChanged']);
  });

  it('rejects a turn id that is found in the log', async () => {
    const { intake, dispatch, decided } = setUp({ state: { earlierTurns: 1 }, isTurnStored: async () => true });
    dispatch('a', queued('a1'));
    await intake.settled();
    expect(decided).toEqual([`a1: ${REJECTION.messageAlreadyInTurn}`]);
  });

  it('rejects an action whose turn id could not be looked up, and continues', async () => {
    const isTurnStored = () => Promise.reject(new Error('the disk is gone'));
    const { intake, dispatch, decided } = setUp({ state: { earlierTurns: 1 }, isTurnStored });
    dispatch('a', queued('a1'));
    dispatch('a', { type: 'session/titleChanged', session: 'mock:/s', at: 1, title: 'Title' });
    await intake.settled();
    expect(decided).toEqual(['a1: could not be checked: the disk is gone', 'session/titleChanged']);
  });

  it('rejects actions that waited while the session was removed, and drops them when it was unloaded', async () => {
    for (const reason of ['removed', 'unloaded'] as const) {
      const { intake, dispatch, storing, decided, close } = setUp();
      dispatch('a', queued('a1', LARGE));
      await settle();
      close(reason);
      await storing[0]?.finish();
      await intake.settled();
      expect(decided).toEqual(reason === 'removed' ? [`a1 kept: ${REJECTION.unknownSession}`] : []);
    }
  });
});
