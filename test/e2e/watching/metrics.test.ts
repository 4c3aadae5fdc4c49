import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import parsePrometheus from 'parse-prometheus-text-format';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { METRICS, prometheusName } from '../../../packages/host/src/metrics/metricTable.js';
import { RawClient } from '../../support/rawClient.js';
import { say } from '../../support/say.js';
import { runCli, startTestHost, type TestHost } from '../../support/testHost.js';
import { ask, eventually } from '../api/support.js';

interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly metrics: readonly {
    readonly value?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly count?: string;
    readonly sum?: string;
    readonly buckets?: Readonly<Record<string, string>>;
  }[];
}

/** In a session, where no figure may have them. */
const PLANTED = ['plantedTitle', 'plantedFolder', 'plantedMessage', 'plantedClient', 'plantedDevice'] as const;

let host: TestHost;
let token: string;
const ROWS = Object.values(METRICS);

beforeAll(async () => {
  host = await startTestHost();
  token = await host.host.deviceTokens.addForMetrics('prometheus');
  await eventually(
    () => read(),
    ({ status }) => status === 200,
  );
});
afterAll(() => host.dispose());

const read = (presented = token, method = 'GET', path = '/metrics') => ask(host, method, path, { token: presented });

async function families(): Promise<ReadonlyMap<string, Family>> {
  const { text, status } = await read();
  expect(status).toBe(200);
  return new Map((parsePrometheus(text) as Family[]).map((family) => [family.name, family]));
}

async function value(name: string, labels: Readonly<Record<string, string>> = {}): Promise<number> {
  const found = (await families()).get(name)?.metrics ?? [];
  const fits = found.filter((one) => Object.entries(labels).every(([label, of]) => one.labels?.[label] === of));
  return fits.reduce((sum, one) => sum + Number(one.value ?? one.count), 0);
}

describe('who reads metrics', () => {
  it('is a token of that role and an owner, and nobody else', async () => {
    const { deviceTokens } = host.host;
    const roles = ['viewer', 'approver', 'driver', 'owner'] as const;
    const tokens = new Map<string, string>();
    for (const role of roles) tokens.set(role, await deviceTokens.add(`a ${role}`, role));
    tokens.set('owner of a space', await deviceTokens.add('spaced', 'owner', 'design'));
    tokens.set('host', host.token);
    tokens.set('nobody', 'x'.repeat(43));
    await expect.poll(async () => (await read(tokens.get('owner of a space'))).status).toBe(403);
    const answers: Record<string, number> = {};
    for (const [who, presented] of tokens) answers[who] = (await read(presented)).status;
    const none = 403;
    expect(answers).toEqual({
      ...{ viewer: none, approver: none, driver: none, 'owner of a space': none },
      ...{ owner: 200, host: 200, nobody: 401 },
    });
  });

  it('opens nothing else with that token', async () => {
    await expect(RawClient.open({ url: host.url, token })).rejects.toThrow();
    expect((await read(token, 'GET', '/api/v1/sessions')).status).toBe(401);
    expect((await read(token, 'GET', '/api/v1/agents')).status).toBe(401);
    expect((await fetch(new URL(`/metrics?token=${token}`, host.url))).status).toBe(404);
    const owner = await host.connect();
    const device = (await owner.devices.list()).items.find(({ name }) => name === 'prometheus');
    expect(device).toMatchObject({ role: 'viewer', only: 'metrics' });
    await expect(owner.devices.update({ device: device?.id ?? '', role: 'owner' })).rejects.toThrow(/reads metrics/);
    expect((await read()).status).toBe(200);
  });

  it('reads with GET and HEAD only, and no body is waited for', async () => {
    expect((await read(token, 'HEAD')).text).toBe('');
    for (const method of ['POST', 'PUT', 'DELETE'])
      expect([method, (await read(token, method)).status]).toEqual([method, 405]);
    expect((await read(token)).headers.get('cache-control')).toBe('no-store');
  });

  it('reads no more when its token is revoked', async () => {
    const gone = await host.host.deviceTokens.addForMetrics('gone');
    await expect.poll(async () => (await read(gone)).status).toBe(200);
    await host.host.deviceTokens.remove('gone');
    await expect.poll(async () => (await read(gone)).status).toBe(401);
  });

  it('gets its token from the command, with a rotation, and no device is paired for it', async () => {
    const where = ['--state-dir', host.stateDir, '--json'];
    const made = await runCli(['token', 'add', '--role', 'metrics', '--name', 'grafana', ...where]);
    const { token: first, role } = JSON.parse(made.stdout) as { token: string; role: string };
    expect(role).toBe('metrics');
    await expect.poll(async () => (await read(first)).status).toBe(200);
    const rotated = JSON.parse((await runCli(['token', 'rotate', 'grafana', ...where])).stdout) as { token: string };
    await expect.poll(async () => (await read(rotated.token)).status).toBe(200);
    await expect.poll(async () => (await read(first)).status).toBe(401);
    expect((await runCli(['token', 'ls', '--state-dir', host.stateDir])).stdout).toMatch(/grafana\s+metrics /);
    expect((await runCli(['token', 'pair', '--role', 'metrics', ...where])).code).not.toBe(0);
  });
});

describe('the figures', () => {
  it('are those of the table, for a parser that is not ours, and follow what happens', async () => {
    const before = await value('agenthost_turns_total', { agent: 'mock', outcome: 'complete' });
    const client = await host.connect({ clientInfo: { name: 'watched' } });
    const session = await client.createSession({ provider: 'mock' });
    await say(session, 'hello');
    await say(session, 'error');
    await client.listSessions({ limit: 1 });
    const raw = await host.raw('refused');
    raw.dispatch({ type: 'session/turnCancelled', session: session.uri, turnId: 'none' });
    await expect.poll(() => value('agenthost_rejections_total', { code: 'noActiveTurn' })).toBe(1);
    expect(await value('agenthost_turns_total', { agent: 'mock', outcome: 'complete' })).toBe(before + 1);
    expect(await value('agenthost_turns_total', { agent: 'mock', outcome: 'failed' })).toBe(1);
    // That parser does not keep the labels of histograms apart.
    expect((await read()).text).toMatch(/^agenthost_turn_duration_seconds_count\{agent="mock"\} 2$/m);
    expect((await read()).text).toMatch(/^agenthost_turn_duration_seconds_bucket\{agent="mock",le="\+Inf"\} 2$/m);
    expect(await value('agenthost_sessions', { state: 'idle' })).toBe(1);
    expect(await value('agenthost_clients', { role: 'owner' })).toBeGreaterThan(1);
    expect(await value('agenthost_commands_total', { method: 'createSession', outcome: 'done' })).toBe(1);
    for (const name of [
      'envelopes_total',
      'frames_sent_total',
      'frames_received_total',
      'replay_size_bytes',
      'network_bytes_total',
    ])
      expect([name, await value(`agenthost_${name}`)]).toEqual([name, expect.toSatisfy((found: number) => found > 1)]);
    expect(await value('agenthost_log_flush_duration_seconds')).toBeGreaterThan(0);
    expect(await value('agenthost_memory_bytes', { kind: 'resident' })).toBeGreaterThan(1e7);
    expect(await value('agenthost_connections_refused_total', { reason: 'token' })).toBeGreaterThan(0);
    const known = new Map(ROWS.map((row) => [prometheusName(row), row]));
    for (const [name, { type, help, metrics }] of await families()) {
      const row = known.get(name);
      expect([name, type, help]).toEqual([name, row?.type.toUpperCase(), `${row?.help}.`]);
      for (const { labels = {} } of metrics)
        expect([name, row?.labels ?? []]).toEqual([name, expect.arrayContaining(Object.keys(labels))]);
    }
  });

  it('have no title, folder, message, client or device, and no session', async () => {
    const device = await host.host.deviceTokens.add('plantedDevice', 'driver');
    const client = await host.connect({ token: device, clientInfo: { name: 'plantedClient' } });
    const session = await client.createSession({ provider: 'mock', metadata: { note: 'plantedFolder' } });
    await session.rename('plantedTitle');
    await say(session, 'plantedMessage');
    const { text } = await read();
    for (const planted of [...PLANTED, session.uri.split('/').at(-1) ?? '', host.stateDir, token, device, host.token])
      expect([planted, text.includes(planted)]).toEqual([planted, false]);
  });

  it('are described, all of them, in docs/watching.md', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/watching.md'), 'utf8');
    const rows = ROWS.map(
      (row) => `| \`${prometheusName(row)}\` | ${row.type} | ${(row.labels ?? []).join(', ')} | ${row.help} |`,
    );
    const table = page.split('\n').filter((line) => line.startsWith('| `agenthost_'));
    expect(table).toEqual(rows);
  });
});

it('a dashboard asks only for figures and labels that there are', () => {
  const file = join(import.meta.dirname, '../../../examples/grafana/agenthost.json');
  const text = readFileSync(file, 'utf8');
  const asked = [...text.matchAll(/"(?:expr|query)": "(?!prometheus")((?:[^"\\]|\\.)*)"/g)].map(
    ([, expr = '']) => JSON.parse(`"${expr}"`) as string,
  );
  expect(asked.length).toBeGreaterThan(10);
  const series = new Map<string, readonly string[]>();
  for (const row of ROWS) {
    const [name, labels] = [prometheusName(row), row.labels ?? []];
    series.set(name, labels);
    if (row.type !== 'histogram') continue;
    series.delete(name);
    series.set(`${name}_bucket`, [...labels, 'le']);
    for (const part of ['sum', 'count']) series.set(`${name}_${part}`, labels);
  }
  for (const expr of asked) {
    const names = [...expr.matchAll(/\bagenthost_\w+/g)].map(([name]) => name);
    expect([expr, names.length > 0]).toEqual([expr, true]);
    for (const name of names) expect([expr, [...series.keys()]]).toEqual([expr, expect.arrayContaining([name])]);
    // Those that Prometheus adds to each series of a target.
    const may = new Set(['job', 'instance', ...names.flatMap((name) => series.get(name) ?? [])]);
    const used = [
      ...[...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, inside = '']) => [...inside.matchAll(/(\w+)\s*[=!]/g)]),
      ...[...expr.matchAll(/\b(?:by|without|on)\s*\(([^)]*)\)/g)].flatMap(([, inside = '']) => [
        ...inside.matchAll(/(\w+)/g),
      ]),
    ].map(([, label]) => label);
    for (const label of used) expect([expr, [...may]]).toEqual([expr, expect.arrayContaining([label])]);
  }
});
