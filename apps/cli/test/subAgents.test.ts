import { afterEach, beforeEach, expect, it } from 'vitest';
import { subAgentScript } from '../../../test/support/agents/subAgentScript.js';
import { say } from '../../../test/support/say.js';
import { startTestHost, type TestHost } from '../../../test/support/testHost.js';
import { turnLines } from '../src/attach/lines/turnLines.js';
import { GLYPH } from '../src/text/style.js';
import { TurnPrinter } from '../src/turn/turnPrinter.js';

let host: TestHost;
beforeEach(async () => {
  host = await startTestHost({ agents: [subAgentScript()] });
});
afterEach(() => host.dispose());

it('[TOOL10] calls of a sub-agent are indented, in `attach` and in `log`', async () => {
  const session = await (await host.connect()).createSession({ provider: 'mock' });
  await session.ready();
  await say(session, 'explore 1');
  const turn = session.confirmed.value.turns[0];
  if (!turn) throw new Error('there is no turn');
  const { done, error } = GLYPH;
  const shown = [
    `${done} Explored`,
    `  ${done} Read 0.ts`,
    `  ${error} Searched`,
    `  ${done} Looked closer`,
    `    ${done} Read deep.ts`,
    'All explored.',
  ];
  const lines = turnLines(turn, 60).map((line) => line.map(({ text }) => text).join(''));
  expect(lines.filter((line) => line !== '' && !line.startsWith('›'))).toEqual(shown);
  const printed: string[] = [];
  const out = { isTTY: false, write: (text: string) => printed.push(text) > 0 } as unknown as NodeJS.WriteStream;
  const printer = new TurnPrinter({ tools: 'line', reasoning: false, out, err: out });
  printer.update(turn);
  printer.end();
  expect(printed.join('').trim().split('\n')).toEqual(shown);
});
