import { describe, expect, it } from 'vitest';
import { PATIENCE, usePages } from './pageWorld.js';

const pages = usePages();

describe('a host that does not allow the page', () => {
  it('tells a script of the page why, with the flag to copy, and a page without a token nothing', {
    timeout: 4 * PATIENCE,
  }, async () => {
    const [own, other] = [await pages.host(), await pages.host()];
    const page = await pages.visit(own);
    const closedWith = (protocols: readonly string[]) =>
      page.evaluate(
        ([url, offered]) =>
          new Promise<{ code: number; reason: string }>((resolve) => {
            const socket = new WebSocket(url, [...offered]);
            socket.onclose = ({ code, reason }) => resolve({ code, reason });
          }),
        [`ws://${other.url.host}/ws`, protocols] as const,
      );
    expect(await closedWith(['agenthost', `agenthost-token.${other.token}`])).toEqual({
      code: 4403,
      reason: `This origin is not allowed. Start agenthost with --allow-origin ${own.url.origin} to allow it.`,
    });
    for (const protocols of [['agenthost'], ['agenthost', `agenthost-token.${own.token}`]])
      expect(await closedWith(protocols)).toEqual({ code: 1006, reason: '' });
  });
});
