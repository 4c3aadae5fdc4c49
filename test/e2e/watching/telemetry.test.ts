import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { connect, type HostClient } from '@agenthost/client';
import { afterEach, describe, expect, it } from 'vitest';
import { Collector } from '../../support/otlp/collector.js';
import { say } from '../../support/say.js';
import { type HostProcess, spawnHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

const PLANTED = {
  message: 'planted-message-7f3a',
  output: 'planted-output-51c0',
  title: 'planted-title-90be',
  folder: 'planted-folder-2d44',
  client: 'planted-client-c8f1',
} as const;

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanUps.splice(0).reverse()) await clean();
});

interface World {
  readonly host: HostProcess;
  readonly client: HostClient;
  readonly stateDir: string;
}

async function start(env: Readonly<Record<string, string>>): Promise<World> {
  const stateDir = await temporaryFolder();
  cleanUps.push(() => rm(stateDir, { recursive: true, force: true, maxRetries: 5 }));
  const host = await spawnHost(stateDir, ['--state-dir', stateDir], env);
  cleanUps.push(() => host.kill('SIGKILL'));
  const client = await connect({ url: host.url, token: host.token, clientInfo: { name: PLANTED.client } });
  cleanUps.push(async () => client.close());
  return { host, client, stateDir };
}

async function collected(
  env: Readonly<Record<string, string>> = {},
): Promise<World & { readonly collector: Collector }> {
  const collector = await Collector.listen();
  cleanUps.push(() => collector.close());
  const soon = { OTEL_BSP_SCHEDULE_DELAY: '50', OTEL_METRIC_EXPORT_INTERVAL: '200', OTEL_METRIC_EXPORT_TIMEOUT: '200' };
  return { ...(await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...soon, ...env })), collector };
}

/** A turn of the shell with all that must not leave; and what would have left. */
async function work({ client, stateDir, host }: World): Promise<readonly string[]> {
  const folder = join(stateDir, PLANTED.folder);
  await mkdir(folder);
  const session = await client.createSession({ provider: 'shell', workingDirectory: pathToFileURL(folder).href });
  await session.rename(PLANTED.title);
  const said = say(session, `echo ${PLANTED.message}; printf planted-; echo output-51c0; cat ${folder}/none`);
  const [question] = await until(session.pendingConfirmations, (all) => all.length > 0);
  await question?.approve();
  await said;
  const mock = await client.createSession({ provider: 'mock' });
  await say(mock, 'use-tool');
  await say(mock, 'error');
  await client.browseDirectory(pathToFileURL(folder).href);
  await client.browseDirectory(pathToFileURL(join(folder, 'none')).href).catch(() => undefined);
  return [...Object.values(PLANTED), stateDir, folder, host.token, process.env['HOME'] ?? ''].filter(
    (one) => one.length > 5,
  );
}

describe('a collector', () => {
  it('gets spans of commands, turns and tool calls, and the figures, and nothing that was planted', async () => {
    const world = await collected({
      OTEL_SERVICE_NAME: 'our-agents',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-the-collector',
    });
    const { collector } = world;
    const secrets = await work(world);
    const named = (name: string) => collector.spans.filter((span) => span.name === name);
    await collector.until(() => named('invoke_agent mock').length === 2 && named('invoke_agent shell').length === 1);
    await collector.until(() => collector.metrics.has('agenthost.turns'));

    expect(collector.resource).toMatchObject({
      'service.name': 'our-agents',
      'deployment.environment': 'test',
      'telemetry.sdk.language': 'nodejs',
    });
    expect(Object.keys(collector.resource).filter((name) => /^(process|host|os)\./.test(name))).toEqual([]);
    expect(collector.headers.every(({ authorization }) => authorization === 'Bearer of-the-collector')).toBe(true);
    const [turn, failed] = named('invoke_agent mock');
    expect(turn).toMatchObject({
      kind: 3,
      status: 0,
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.provider.name': 'mock',
        'gen_ai.agent.name': 'mock',
        'agenthost.turn.outcome': 'complete',
      },
    });
    expect(failed).toMatchObject({ status: 2, attributes: { 'agenthost.turn.outcome': 'error' } });
    const [call] = collector.spans.filter(
      ({ attributes }) =>
        attributes['gen_ai.operation.name'] === 'execute_tool' && attributes['gen_ai.agent.name'] === 'mock',
    );
    expect(call?.parentSpanId).toBe(turn?.spanId);
    expect(call?.traceId).toBe(turn?.traceId);
    expect(call?.name).toBe(`execute_tool ${call?.attributes['gen_ai.tool.name']}`);
    expect(call?.endMs).toBeLessThanOrEqual(turn?.endMs ?? 0);
    expect(named('createSession')[0]?.attributes).toMatchObject({
      'rpc.system': 'jsonrpc',
      'rpc.method': 'createSession',
    });
    expect(named('browseDirectory').some(({ status }) => status === 2)).toBe(true);
    expect(named('ping')).toEqual([]);

    await collector.until(() => (collector.metrics.get('agenthost.turns')?.points.length ?? 0) === 3);
    expect(collector.metrics.get('agenthost.turn.duration')).toMatchObject({ kind: 'histogram', unit: 's' });
    expect(collector.metrics.get('agenthost.envelopes')).toMatchObject({ kind: 'sum' });
    expect(collector.metrics.get('agenthost.memory')).toMatchObject({ kind: 'gauge', unit: 'By' });

    await world.host.kill('SIGTERM');
    const all = Buffer.concat(collector.raw);
    for (const secret of secrets) expect([secret, all.includes(secret)]).toEqual([secret, false]);
  }, 60_000);

  it('gets content when it was asked for', async () => {
    const world = await collected({ OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' });
    await work(world);
    const of = (name: string) => world.collector.spans.filter((span) => span.name === name);
    await world.collector.until(() => of('invoke_agent shell').length === 1);
    const [turn] = of('invoke_agent shell');
    const input = JSON.parse(String(turn?.attributes['gen_ai.input.messages'])) as { parts: { content: string }[] }[];
    expect(input[0]?.parts[0]?.content).toContain(PLANTED.message);
    expect(JSON.parse(String(turn?.attributes['gen_ai.output.messages']))).toMatchObject([{ role: 'assistant' }]);
    const all = Buffer.concat(world.collector.raw);
    expect(all.includes(PLANTED.output)).toBe(true);
    expect(all.includes(world.host.token)).toBe(false);
  }, 60_000);

  it('that fails, or is away, harms nothing and is told of in one line', async () => {
    const world = await collected();
    world.collector.status = 400;
    await say(await world.client.createSession({ provider: 'mock' }), 'hello');
    await expect.poll(() => world.host.errors()).toMatch(/telemetry could not be sent/);
    await world.collector.close();
    cleanUps.splice(0, 0);
    for (let n = 0; n < 20; n++) await world.client.listSessions({ limit: 1 });
    await say(await world.client.createSession({ provider: 'mock' }), 'hello');
    const begun = performance.now();
    expect(await world.host.kill('SIGTERM')).toMatchObject({ code: 0 });
    expect(performance.now() - begun).toBeLessThan(8_000);
    const lines = world.host
      .errors()
      .split('\n')
      .filter((line) => line.includes('telemetry'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/check OTEL_EXPORTER_OTLP_ENDPOINT/);
    expect(world.host.errors()).not.toMatch(/at .*\.m?js:\d/);
  }, 60_000);
});

it.each([
  ['is disabled', { OTEL_SDK_DISABLED: 'true' }],
  ['has both kinds left out', { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' }],
])('nothing is sent when telemetry %s', async (_, env) => {
  const { client, collector, host } = await collected(env);
  await say(await client.createSession({ provider: 'mock' }), 'hello');
  await host.kill('SIGTERM');
  expect(collector.raw).toEqual([]);
  expect(host.errors()).not.toMatch(/telemetry/);
});
