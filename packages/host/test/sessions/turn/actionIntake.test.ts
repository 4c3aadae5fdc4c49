import { type ClientAction, INLINE_CONTENT_LIMIT, REJECTION, type UserMessage } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { MessageIntake, type Taken } from '../../../src/sessions/turn/actionIntake.js';

function queued(id: string, length = 0): ClientAction {
  const attachments = length > 0 ? [{ kind: 'text', label: id, data: 'x'.repeat(length) } as const] : [];
  const userMessage = { text: id, attachments };
  return { type: 'session/pendingMessageSet', session: 'mock:/s', at: 1, kind: 'queued', id, userMessage };
}

function setUp() {
  const storing: { readonly text: string; finish(error?: Error): Promise<void> }[] = [];
  const taken: string[] = [];
  const errors: unknown[] = [];
  const intake = new MessageIntake(
    (message) =>
      new Promise<UserMessage>((resolve, reject) => {
        const finish = async (error?: Error) => {
          if (error) reject(error);
          else resolve({ text: `${message.text} kept` });
          await new Promise((settled) => setImmediate(settled));
        };
        storing.push({ text: message.text, finish });
      }),
    (error) => errors.push(error),
  );
  const take = ({ action, refusal }: Taken) => {
    const text = 'userMessage' in action ? action.userMessage.text : action.type;
    taken.push(refusal === undefined ? text : `${text}: ${refusal.rejectionReason}`);
  };
  const pass = (clientId: string, action: ClientAction, isWanted = () => true) =>
    intake.pass(clientId, action, { isWanted, take, isKnown: () => true, lookUp: async () => {} });
  return { intake, pass, storing, taken, errors, take };
}

const LARGE = INLINE_CONTENT_LIMIT + 1;

describe('MessageIntake', () => {
  it('takes what is short at once, and what is large when it is stored, each client in its order', async () => {
    const { intake, pass, storing, taken } = setUp();
    pass('a', queued('a1'));
    expect(taken).toEqual(['a1']);
    pass('a', queued('a2', LARGE));
    pass('a', queued('a3'));
    pass('b', queued('b1'));
    expect([taken, intake.isBusy]).toEqual([['a1', 'b1'], true]);
    await new Promise((resolve) => setImmediate(resolve));
    await storing[0]?.finish();
    expect([taken, intake.isBusy]).toEqual([['a1', 'b1', 'a2 kept', 'a3'], false]);
    await intake.settled();
  });

  it('refuses what could not be stored, and goes on', async () => {
    const { pass, storing, taken } = setUp();
    pass('a', queued('a1', LARGE));
    pass('a', queued('a2'));
    await new Promise((resolve) => setImmediate(resolve));
    await storing[0]?.finish(new Error('disk full'));
    expect(taken).toEqual(['a1: could not be stored: disk full', 'a2']);
  });

  it('stores nothing that is refused anyway', () => {
    const { pass, storing, taken } = setUp();
    pass('a', queued('a1', LARGE), () => false);
    expect([taken, storing]).toEqual([['a1'], []]);
  });

  it('refuses more than may wait', async () => {
    const { pass, storing, taken, intake } = setUp();
    for (let n = 0; n < 20; n++) pass(`client ${n}`, queued(`m${n}`, 3_000_000));
    const refused = Array.from({ length: 9 }, (_, n) => `m${n + 11}: ${REJECTION.contentBusy}`);
    expect(taken).toEqual(refused);
    await new Promise((resolve) => setImmediate(resolve));
    for (const { finish } of storing) await finish();
    expect([taken.length, intake.isBusy]).toEqual([20, false]);
    pass('client 1', queued('later', 3_000_000));
    expect(intake.isBusy).toBe(true);
  });

  it('survives what fails behind it', async () => {
    const { intake, storing, errors, pass, taken } = setUp();
    const take = () => {
      throw new Error('broken');
    };
    intake.pass('a', queued('a1', LARGE), { isWanted: () => true, isKnown: () => true, lookUp: async () => {}, take });
    pass('a', queued('a2'));
    await new Promise((resolve) => setImmediate(resolve));
    await storing[0]?.finish();
    expect([errors, taken]).toEqual([[new Error('broken')], ['a2']]);
  });

  it('lets what has to be looked up wait, and behind it what the same client sent', async () => {
    const { intake, pass, taken, take } = setUp();
    const looking = Promise.withResolvers<void>();
    intake.pass('a', queued('a1'), { isWanted: () => true, isKnown: () => false, lookUp: () => looking.promise, take });
    pass('a', queued('a2'));
    pass('b', queued('b1'));
    expect(taken).toEqual(['b1']);
    looking.resolve();
    await intake.settled();
    expect(taken).toEqual(['b1', 'a1', 'a2']);
  });

  it('refuses what could not be looked up, and goes on', async () => {
    const { intake, pass, taken, take } = setUp();
    const lookUp = () => Promise.reject(new Error('the disk is gone'));
    intake.pass('a', queued('a1'), { isWanted: () => true, isKnown: () => false, lookUp, take });
    pass('a', queued('a2'));
    await intake.settled();
    expect(taken).toEqual(['a1: could not be checked: the disk is gone', 'a2']);
  });
});
