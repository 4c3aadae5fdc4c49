import { expect, it } from 'vitest';
import { UsageMeter } from '../../../../src/agents/acp/turn/usageMeter.js';

const tokens = (inputTokens: number, outputTokens: number) => ({
  usage: { inputTokens, outputTokens, cachedReadTokens: undefined },
});
const spent = (amount: number, currency = 'USD') =>
  ({ sessionUpdate: 'usage_update', used: undefined, size: undefined, cost: { amount, currency } }) as const;

it('counts tokens per turn, and adds up those of its prompts', () => {
  const meter = new UsageMeter({ tokensAreTotals: false });
  meter.beginTurn();
  meter.prompted(tokens(10, 1));
  meter.prompted(tokens(20, 2));
  expect(meter.usage).toEqual({ inputTokens: 30, outputTokens: 3 });
  meter.beginTurn();
  expect(meter.usage).toBeUndefined();
});

it('takes the difference where an agent reports totals', () => {
  const meter = new UsageMeter({ tokensAreTotals: true });
  const turns = [tokens(20, 10), tokens(40, 20), tokens(41, 20)].map((outcome) => {
    meter.beginTurn();
    meter.prompted(outcome);
    return meter.usage;
  });
  expect(turns).toEqual([
    { inputTokens: 20, outputTokens: 10 },
    { inputTokens: 20, outputTokens: 10 },
    { inputTokens: 1, outputTokens: 0 },
  ]);
});

it('starts over when the agent does: in a new process, or with a smaller total', () => {
  const meter = new UsageMeter({ tokensAreTotals: true });
  const costs = [0.5, 0.75, 'restart', 1, 0.25].map((total) => {
    meter.beginTurn();
    if (typeof total === 'number') meter.updated(spent(total));
    else meter.restart();
    return meter.usage?.cost;
  });
  expect(costs).toEqual([0.5, 0.25, undefined, 1, 0.25]);
});

it('adds up several reports of one turn, and leaves other currencies out', () => {
  const meter = new UsageMeter({ tokensAreTotals: false });
  meter.beginTurn();
  for (const update of [spent(0.25), spent(0.5), spent(9, 'EUR')]) meter.updated(update);
  expect(meter.usage).toEqual({ cost: 0.5 });
});
