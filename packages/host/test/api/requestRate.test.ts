import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { RequestRate } from '../../src/api/requestRate.js';

const response = () => new EventEmitter() as unknown as ServerResponse;

/** How many are let in, of so many. */
function letIn(rate: RequestRate, id: string, wanted: number, isStream: boolean): ServerResponse[] {
  const responses = Array.from({ length: wanted }, response);
  return responses.filter((one) => {
    try {
      rate.begin(id, one, isStream);
      return true;
    } catch (error) {
      expect(error).toMatchObject({ status: 429, options: { headers: { 'retry-after': '1' } } });
      return false;
    }
  });
}

describe('the requests of one token', () => {
  it('are bounded at the same time, and one that has ended makes room', () => {
    const rate = new RequestRate();
    const running = letIn(rate, 'a', 100, false);
    expect(running).toHaveLength(64);
    running[0]?.emit('close');
    expect(letIn(rate, 'a', 2, false)).toHaveLength(1);
    expect(letIn(rate, 'b', 100, false)).toHaveLength(64);
  });

  it('are bounded in number, whether they have ended or not', () => {
    const rate = new RequestRate();
    const begin = () => letIn(rate, 'a', 50, false).map((one) => one.emit('close')).length;
    const rounds = Array.from({ length: 20 }, begin);
    expect(rounds).toEqual(Array.from({ length: 20 }, () => 50));
    // However fast this is: a little has come back meanwhile.
    expect(begin()).toBeLessThan(50);
  });

  it('streams have a bound of their own', () => {
    const rate = new RequestRate();
    expect(letIn(rate, 'a', 300, true)).toHaveLength(256);
    expect(letIn(rate, 'a', 1, false)).toHaveLength(1);
  });
});
