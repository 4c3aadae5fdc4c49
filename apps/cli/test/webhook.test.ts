import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCli, startTestHost, type TestHost } from '../../../test/support/testHost.js';
import { WebhookReceiver } from '../../../test/support/webhooks/webhookReceiver.js';

let host: TestHost;
let receiver: WebhookReceiver;
beforeEach(async () => {
  host = await startTestHost();
  receiver = await WebhookReceiver.start();
});
afterEach(async () => {
  await host.dispose();
  await receiver.close();
});

const webhook = (...args: string[]) =>
  runCli(['webhook', ...args], { AGENTHOST_URL: host.url.href, AGENTHOST_TOKEN: host.token });

it('adds, tests, lists and removes a webhook', async () => {
  const added = await webhook('add', receiver.url, '--on', 'needsInput,turnEnded', '--allow-private', '--json');
  expect(added).toMatchObject({ code: 0, stderr: '' });
  const { webhook: made, secret } = JSON.parse(added.stdout);
  receiver.secret = secret;
  expect(await webhook('test', made.id)).toMatchObject({ code: 0, stdout: 'The receiver has accepted the test.\n' });
  expect(receiver.events).toMatchObject([{ message: { type: 'test' } }]);
  receiver.answer = () => 500;
  expect(await webhook('test', made.id)).toMatchObject({ code: 1, stderr: expect.stringContaining('answered 500') });
  const { stdout } = await webhook('ls');
  expect(stdout.trim().split(/\s+/)).toEqual([made.id, 'turnEnded,needsInput', receiver.url, 'works']);
  expect(await webhook('rm', made.id)).toMatchObject({ code: 0, stdout: '' });
  expect(await webhook('ls')).toMatchObject({ code: 0, stdout: '' });
});

it('says what is wrong', async () => {
  const refused = await webhook('add', 'https://10.0.0.1/', '--on', 'turnEnded');
  expect([refused.code === 0, refused.stderr]).toEqual([false, expect.stringContaining('--allow-private')]);
  for (const args of [['add', receiver.url, '--on', 'all'], ['add', receiver.url], ['rm'], ['ls', 'x'], []])
    expect(await webhook(...args), args.join(' ')).toMatchObject({ code: 2 });
});
