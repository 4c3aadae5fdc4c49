import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RawClient } from '../support/rawClient.js';
import { type HostProcess, runCli, spawnHost, temporaryFolder } from '../support/testHost.js';

const AGENT = join(import.meta.dirname, 'hostileAcpAgent.mjs');
/** Values that are nowhere else, so that each place where one turns up is a leak. */
const SECRETS = {
  AGENTHOST_TOKEN: 'secret-owner-token-0123456789abcdef',
  GITHUB_TOKEN: 'secret-github-0123456789',
  ANTHROPIC_API_KEY: 'secret-model-key-0123456789',
  DATABASE_URL: 'postgres://u:secret-database@db/x',
  NPM_TOKEN: 'secret-npm-0123456789',
} as const;

let stateDir: string;
let host: HostProcess;
const printed: string[] = [];
const frames: string[] = [];

beforeAll(async () => {
  stateDir = await temporaryFolder();
  const hostile = { name: 'Hostile', command: process.execPath, args: [AGENT] };
  await writeFile(join(stateDir, 'agents.json'), JSON.stringify({ agents: { hostile } }));
  host = await spawnHost(stateDir, ['--state-dir', stateDir, '--debug'], SECRETS);
  for (const stream of [host.process.stdout, host.process.stderr])
    stream?.on('data', (data) => printed.push(String(data)));
}, 60_000);
afterAll(async () => {
  await host?.kill('SIGKILL');
  await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
});

it('point 10: real work leaves no secret in the agents’ environment, the files, the logs, the errors or on the wire', async () => {
  const device = JSON.parse(
    (await runCli(['token', 'add', '--name', 'phone', '--role', 'driver', '--json', '--state-dir', stateDir])).stdout,
  ) as { token: string };
  const secrets = [...Object.values(SECRETS), device.token];
  await expect
    .poll(
      () => RawClient.open({ url: host.url, token: device.token }).then((one) => one.end().then(() => 'open'), String),
      { timeout: 20_000 },
    )
    .toBe('open');
  const client = await RawClient.open({ url: host.url, token: device.token });
  client.socket.on('message', (data) => frames.push(String(data)));
  await client.request('initialize', {
    protocolVersion: 1,
    clientId: 'worker',
    initialSubscriptions: ['agenthost:root'],
  });

  const outputs: string[] = [];
  for (const [provider, messages] of Object.entries({
    shell: ['env; echo done', 'cat /does/not/exist'],
    hostile: ['env'],
    mock: ['use-tool', 'error', 'crash'],
  })) {
    const session = `${provider}:/secrets-${provider}`;
    await client.request('createSession', { session });
    const { lifecycle } = await client.stateOf(session);
    if (lifecycle === 'creating') await client.nextAction(session, 'session/ready');
    for (const [n, text] of messages.entries()) {
      const turnId = `t${n}`;
      await client.act({ type: 'session/turnStarted', session, turnId, userMessage: { text } });
      const ends = ['session/turnComplete', 'session/error'];
      for (;;) {
        const { action } = await client.nextEnvelope(
          ({ action }) =>
            'session' in action && action.session === session && [...ends, 'session/toolStart'].includes(action.type),
          'the end of a turn',
        );
        if (ends.includes(action.type)) break;
        const { toolCall } = action as { toolCall: { toolCallId: string; status: string } };
        if (toolCall.status === 'pendingConfirmation')
          await client.act({
            type: 'session/toolCallConfirmed',
            session,
            turnId,
            toolCallId: toolCall.toolCallId,
            approved: true,
          });
      }
    }
    outputs.push(JSON.stringify(await client.stateOf(session)));
  }
  // The agents did print their environment, so that the search below had something to find.
  expect(outputs[0]).toContain('PATH=');
  expect(outputs[1]).toContain('PATH');
  await client.refusal('browseDirectory', { uri: 'file:///does/not/exist' });
  await client.refusal('fetchContent', { uri: 'mock://x/y' });
  await expect(RawClient.open({ url: host.url, token: `${SECRETS.AGENTHOST_TOKEN}x` })).rejects.toThrow();
  await runCli(['token', 'rotate', 'phone', '--state-dir', stateDir]);
  await client.closed;
  const { code } = await host.kill('SIGTERM');
  expect(code).toBe(0);

  const found: string[] = [];
  const search = (where: string, text: string) => {
    for (const secret of secrets) if (text.includes(secret)) found.push(`${where}: ${secret}`);
  };
  let searched = 0;
  for (const entry of await readdir(stateDir, { recursive: true })) {
    const path = join(stateDir, entry);
    if (!(await stat(path)).isFile()) continue;
    search(entry, await readFile(path, 'latin1'));
    searched++;
  }
  search('printed', printed.join(''));
  search('wire', frames.join('\n'));
  process.stdout.write(
    `${searched} files, ${printed.join('').length} bytes printed, ${frames.length} frames searched for ${secrets.length} secrets\n`,
  );
  expect(found).toEqual([]);
  expect(Math.min(searched, frames.length, printed.length)).toBeGreaterThan(0);
}, 120_000);
