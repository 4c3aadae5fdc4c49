import type { PendingConfirmation, SessionHandle } from '@agenthost/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StubHost, startStubHost } from '../../support/agents/stubAgent.js';
import { textOf } from '../../support/say.js';
import { until } from '../../support/until.js';

const ONCE = { optionId: 'yes', name: 'Allow once', kind: 'allow_once' };
const ALWAYS = { optionId: 'forever', name: 'Always allow', kind: 'allow_always' };
const NO = { optionId: 'no', name: 'Deny', kind: 'reject_once' };
const NEVER = { optionId: 'never', name: 'Never', kind: 'reject_always' };

/** What agents send in `session/request_permission`: also what the protocol does not allow is asked. */
describe('permission options of an ACP agent', () => {
  let stub: StubHost;
  let session: SessionHandle;
  beforeAll(async () => {
    stub = await startStubHost();
    session = stub.session;
  });
  afterAll(() => stub.dispose());

  /** Sends the request, answers it, and returns what the agent was told. */
  async function ask(params: object, answer: (asked: PendingConfirmation) => Promise<void>): Promise<string> {
    const { length } = session.confirmed.value.turns;
    const toolCall = { toolCallId: `call-${length}`, title: 'Push the branch', kind: 'other' };
    await session.send(`ask-with ${JSON.stringify({ toolCall, ...params })}`);
    const [asked] = await until(session.pendingConfirmations, (open) => open.length > 0, 'the question', 30_000);
    if (!asked) throw new Error('nobody was asked');
    await answer(asked);
    const { turns } = await until(session.confirmed, (state) => state.turns.length > length, 'the end', 30_000);
    return textOf(turns.at(-1));
  }

  const optionsOf = ({ toolCall }: PendingConfirmation) => toolCall.confirmation.options ?? [];
  const choosing = (label: string) => (asked: PendingConfirmation) => {
    const option = optionsOf(asked).find((each) => each.label === label);
    if (!option) throw new Error(`${label} is not offered`);
    return option.kind === 'deny' ? asked.deny({ optionId: option.id }) : asked.approve({ optionId: option.id });
  };

  it('offers the plain options first and marks the others as explicit', async () => {
    let offered: unknown;
    const told = await ask({ options: [ALWAYS, NEVER, ONCE, NO] }, (asked) => {
      offered = optionsOf(asked).map(({ label, kind, explicit }) => [label, kind, explicit]);
      return asked.approve();
    });
    expect(offered).toEqual([
      ['Allow once', 'approve', undefined],
      ['Deny', 'deny', undefined],
      ['Always allow', 'approve', true],
      ['Never', 'deny', true],
    ]);
    expect(told).toBe('"yes"');
  });

  it('[VAL5] refuses a plain approval when only "always" is offered, and selects it by name', async () => {
    const told = await ask({ options: [ALWAYS, NO] }, async (asked) => {
      await expect(asked.approve()).rejects.toThrow('choose an option by its id');
      await choosing('Always allow')(asked);
    });
    expect(told).toBe('"forever"');
  });

  it('never selects "reject always" for a plain denial', async () => {
    expect(await ask({ options: [ONCE, NEVER] }, (asked) => asked.deny())).toBe('"cancelled"');
    expect(await ask({ options: [ONCE, NEVER] }, choosing('Never'))).toBe('"never"');
  });

  it('asks with unknown kinds, which are only selected by name', async () => {
    const options = [
      { optionId: 'a', name: 'Allow for a day', kind: 'allow_day' },
      { optionId: 'b', name: 'Decline for a day', kind: 'decline_day' },
      { optionId: 'c', name: 'No kind' },
    ];
    expect(await ask({ options }, choosing('Allow for a day'))).toBe('"a"');
    expect(await ask({ options }, choosing('Decline for a day'))).toBe('"b"');
    expect(await ask({ options }, choosing('No kind'))).toBe('"c"');
    const plain = await ask({ options }, async (asked) => {
      await expect(asked.approve()).rejects.toThrow('choose an option by its id');
      await asked.deny();
    });
    expect(plain).toBe('"cancelled"');
  });

  it('answers numeric ids with numbers', async () => {
    const options = [
      { optionId: 1, name: 'Yes', kind: 'allow_once' },
      { optionId: 2, name: 'No', kind: 'reject_once' },
    ];
    expect(await ask({ options }, (asked) => asked.approve())).toBe('1');
    expect(await ask({ options }, choosing('No'))).toBe('2');
  });

  it('shows 100 of 5,000 options, including the plain ones', async () => {
    const many = Array.from({ length: 5_000 }, (_, n) => ({ ...ALWAYS, optionId: `o${n}`, name: `Option ${n}` }));
    let count = 0;
    const told = await ask({ options: [...many.slice(0, 900), ONCE, NO, ...many.slice(900)] }, (asked) => {
      count = optionsOf(asked).length;
      return asked.approve();
    });
    expect([told, count]).toEqual(['"yes"', 100]);
  });

  it.each([
    ['no options', { options: [] }],
    ['options that are no list', { options: 'yes' }],
    ['options without ids', { options: [{ name: 'x' }, null, 7] }],
    ['no options at all', {}],
  ])('asks with %s: it can only be denied', async (_, params) => {
    const told = await ask(params, async (asked) => {
      expect(optionsOf(asked)).toMatchObject([{ label: 'Deny', kind: 'deny' }]);
      await expect(asked.approve()).rejects.toThrow('choose an option by its id');
      await asked.deny();
    });
    expect(told).toBe('"cancelled"');
  });

  it.each([
    ['a numeric id', { toolCall: { toolCallId: 7, title: 'Seven' } }],
    ['no id', { toolCall: { title: 'Nameless' } }],
    ['no call', { toolCall: null }],
  ])('asks about a call with %s', async (_, params) => {
    expect(await ask({ options: [ONCE, NO], ...params }, (asked) => asked.approve())).toBe('"yes"');
  });
});
