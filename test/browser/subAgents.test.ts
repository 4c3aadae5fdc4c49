import { describe, expect, it } from 'vitest';
import { subAgentScript } from '../support/agents/subAgentScript.js';
import { expectNoOverflow, gone, log, makeSession, PATIENCE, seen, usePages } from './pageWorld.js';

const pages = usePages();
const SLOW = { timeout: 6 * PATIENCE };

async function open(message: string, width = 1280) {
  const host = await pages.host({ agents: [subAgentScript()] });
  const { hash } = await makeSession(host, [message]);
  return pages.visit(host, { hash, viewport: { width, height: 800 } });
}

describe('[TOOL10] the calls of a sub-agent', () => {
  it('are folded under its call, with what they were and how they ended, and unfold by keyboard', SLOW, async () => {
    const page = await open('explore 12');
    const line = log(page).getByRole('button', {
      name: 'Explored: read 13 files, searched 1 time, used 1 tool, 1 failed',
    });
    await seen(line);
    expect(await line.getAttribute('aria-expanded')).toBe('false');
    await gone(log(page).getByText('Read 11.ts'));
    await line.press('Enter');
    expect(await line.getAttribute('aria-expanded')).toBe('true');
    await seen(log(page).getByText('12 files'));
    const inner = log(page).getByRole('button', { name: 'Looked closer: read 1 file' });
    await inner.press('Enter');
    await seen(log(page).getByText('Read deep.ts'));
    await line.press('Enter');
    await gone(inner);
  });

  it('are shown while they run or ask, although the others are folded', SLOW, async () => {
    const running = await open('run 2', 360);
    await seen(log(running).getByRole('button', { name: 'Explore: read 2 files, searched 1 time, 1 failed' }));
    await seen(log(running).getByText('Watching the files'));
    await gone(log(running).getByText('Read 1.ts'));
    await expectNoOverflow(running, 'a sub-agent on a phone');
    const asking = await open('ask 2');
    const prompt = asking.getByRole('region', { name: 'Needs your answer: Write it? (asked by: Explore)' });
    await prompt.getByRole('button', { name: 'Allow', exact: false }).first().click();
    await seen(log(asking).getByRole('button', { name: /^Explored: read 3 files, searched 1 time, wrote 1 file/ }));
  });
});
