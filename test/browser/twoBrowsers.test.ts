import { expect, it } from 'vitest';
import { eventually, gone, log, makeSession, PATIENCE, seen, usePages, write } from './pageWorld.js';

const pages = usePages();
const ASK = { name: 'Needs your answer' } as const;

it('shows the same conversation to both, with the author of each action', { timeout: 10 * PATIENCE }, async () => {
  const host = await pages.host();
  const { hash } = await makeSession(host, ['hello']);
  const mira = await pages.visit(host, { name: 'Mira', hash });
  const tom = await pages.visit(host, { name: 'Tom', hash });
  await seen(mira.getByTitle(/^Tom, on .+ looks at this session/));
  await seen(tom.getByTitle(/^Mira, on .+ looks at this session/));

  await write(mira, 'from Mira');
  await seen(tom.getByRole('article', { name: 'Message from Mira' }));
  await seen(log(tom).getByText('You said: from Mira'));
  await write(tom, 'from Tom');
  await seen(log(mira).getByText('You said: from Tom'));
  const answers = (page: typeof mira) => log(page).locator('.answer').allInnerTexts();
  await eventually(() => answers(mira)).toEqual(['Hello, world!', 'You said: from Mira', 'You said: from Tom']);
  expect(await answers(tom)).toEqual(await answers(mira));

  await write(mira, 'confirm-tool');
  await seen(tom.getByRole('region', ASK));
  await mira.getByRole('region', ASK).getByRole('button', { name: 'Allow once' }).click();
  await gone(tom.getByRole('region', ASK));
  await seen(log(tom).getByText(/Allowed once by Mira, on /));
  await seen(log(mira).getByText(/Allowed once by you/));

  await write(mira, 'question');
  await tom.getByRole('region', ASK).getByRole('button', { name: /Blue/ }).click();
  await seen(log(mira).getByText(/Answered by Tom, on .+: Blue/));
  await write(mira, 'reasoning');
  await seen(log(mira).getByText(/^Thought for \d+ s/));
  // Who did not see it happen is told the same.
  await tom.reload();
  await seen(log(tom).getByText(/Answered by you: Blue/));
  await seen(log(tom).getByText(/^Thought for \d+ s/));

  await tom.context().close();
  await gone(mira.getByTitle(/^Tom, on .+ looks at this session/));
});

it('shows only who has the session in a visible window', { timeout: 6 * PATIENCE }, async () => {
  const host = await pages.host();
  const { hash } = await makeSession(host, ['confirm-tool']);
  const { hash: elsewhere } = await makeSession(host, ['title elsewhere']);
  const mira = await pages.visit(host, { name: 'Mira', hash });
  await pages.visit(host, { name: 'Ben', hash });
  await seen(mira.getByTitle(/^Ben, on .+ looks at this session/));
  const tom = await pages.visit(host, { name: 'Tom', hash: elsewhere });
  await seen(tom.getByRole('button', { name: 'Needs input, 1' }));
  await log(tom).focus();
  await tom.keyboard.press('i');
  // He can answer it in the tray, and doesn't look at the session.
  await seen(tom.getByRole('dialog', { name: 'Needs input' }).getByRole('button', { name: 'Allow once' }));
  const toms = mira.getByTitle(/^Tom, on .+ looks at this session/);
  expect(await toms.count()).toBe(0);
  await tom.getByRole('button', { name: 'Close' }).first().click();
  await tom.evaluate((to) => {
    location.hash = to;
  }, hash);
  await seen(toms);
  // Another window is in front of his.
  await tom.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { get: () => 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await gone(toms);
  await seen(mira.getByTitle(/^Ben, on .+ looks at this session/));
});

it('says who was faster when two answer at once', { timeout: 4 * PATIENCE }, async () => {
  const { host, proxy } = await pages.hostBehindProxy();
  const { hash } = await makeSession(host, ['confirm-tool']);
  const mira = await pages.visit(host, { name: 'Mira', hash, url: host.url });
  const tom = await pages.visit(host, { name: 'Tom', hash, url: proxy.url });
  await seen(mira.getByRole('region', ASK));
  await seen(tom.getByRole('region', ASK));
  // Tom's page does not hear of it, as when both press at the same moment.
  proxy.swallowAnswers();
  await mira.getByRole('region', ASK).getByRole('button', { name: 'Deny' }).click();
  await seen(log(mira).getByText(/Denied by you/));
  await tom.getByRole('region', ASK).getByRole('button', { name: 'Allow once' }).click();
  proxy.cut();
  await seen(tom.getByText("Mira was faster and denied it. Your answer wasn't used."));
  await gone(tom.getByRole('region', ASK));
  await seen(log(tom).getByText(/Denied by Mira/));
});
