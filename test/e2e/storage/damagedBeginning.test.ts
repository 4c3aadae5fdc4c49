import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostClient } from '@agenthost/client';
import { parseSessionUri } from '@agenthost/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { startTestHost, type TestHost } from '../../support/testHost.js';
import { until } from '../../support/until.js';

const hosts: TestHost[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.dispose();
});

async function started(stateDir?: string): Promise<{ host: TestHost; client: HostClient }> {
  const host = await startTestHost(stateDir === undefined ? {} : { stateDir });
  hosts.push(host);
  return { host, client: await host.connect() };
}

/** A session with these prompts, whose host has ended. Says where it is. */
async function stored(...prompts: readonly string[]): Promise<{ uri: string; stateDir: string; folder: string }> {
  const { host, client } = await started();
  const session = await client.createSession({ provider: 'mock', model: 'mock-large', config: { colour: 'red' } });
  await session.ready();
  for (const [index, prompt] of prompts.entries()) {
    await session.send(prompt);
    await until(session.confirmed, ({ turns }) => turns.length === index + 1, prompt);
  }
  client.close();
  await host.host.close();
  const folder = join(host.stateDir, 'session-state', parseSessionUri(session.uri)?.sessionId ?? '');
  return { uri: session.uri, stateDir: host.stateDir, folder };
}

/** Removes the caches, which a host of another version would ignore. */
async function forgetCaches({ stateDir, folder }: { stateDir: string; folder: string }): Promise<void> {
  await rm(join(folder, 'events.checkpoint.json'), { force: true });
  await rm(join(folder, 'events.turns.jsonl'), { force: true });
  for (const suffix of ['', '-wal', '-shm']) await rm(join(stateDir, `index.db${suffix}`), { force: true });
}

async function changeFirstLine(folder: string, change: (line: Buffer) => void): Promise<Buffer> {
  const path = join(folder, 'events.jsonl');
  const bytes = await readFile(path);
  change(bytes.subarray(0, bytes.indexOf(0x0a)));
  await writeFile(path, bytes);
  return bytes;
}

function flip(line: Buffer, at: number): void {
  line.writeUInt8(line.readUInt8(at) ^ 1, at);
}

const damages: Readonly<Record<string, (line: Buffer) => void>> = {
  'a flipped bit in a value': (line) => flip(line, line.indexOf('"provider":"mock"') + '"provider":"m'.length),
  'a flipped bit in the syntax': (line) => flip(line, 0),
  'a flipped bit in the checksum': (line) => flip(line, line.length - 4),
  'nothing but zeros': (line) => line.fill(0),
};

describe('a log whose first line is damaged', () => {
  it.each(Object.entries(damages))('is opened, listed, exported and continued: %s', async (_, damage) => {
    const session = await stored('echo one', 'echo two');
    await forgetCaches(session);
    await changeFirstLine(session.folder, damage);

    const { client } = await started(session.stateDir);
    const opened = await client.openSession(session.uri);
    const { summary, turns } = opened.confirmed.value;
    expect(turns.map(({ userMessage }) => userMessage.text)).toEqual(['echo one', 'echo two']);
    expect(summary).toMatchObject({ provider: 'mock', model: 'mock-large', title: 'echo one' });
    const { items } = await client.listSessions({});
    expect(items.map(({ resource }) => resource)).toEqual([session.uri]);

    await opened.send('echo three');
    await until(opened.confirmed, (state) => state.turns.length === 3, 'the third turn');
    const fork = await client.forkSession({ source: session.uri });
    expect(fork.confirmed.value.turns).toHaveLength(3);

    client.close();
    await hosts.at(-1)?.host.close();
    await forgetCaches(session);
    const again = await (await started(session.stateDir)).client.openSession(session.uri);
    expect(again.confirmed.value.turns).toHaveLength(3);
  });

  it('is opened when it has no other line', async () => {
    const session = await stored();
    await forgetCaches(session);
    const log = join(session.folder, 'events.jsonl');
    const [first] = (await readFile(log, 'utf8')).split('\n');
    await writeFile(log, `${first?.replace('mock', 'nock')}\n`);

    const { client } = await started(session.stateDir);
    const opened = await client.openSession(session.uri);
    expect(opened.confirmed.value.summary).toMatchObject({ provider: 'mock', model: 'mock-large' });
    await opened.ready();
    await opened.send('echo one');
    await until(opened.confirmed, ({ turns }) => turns.length === 1, 'the turn');
    expect(await readFile(`${log}.corrupt`, 'utf8')).toContain('nock');
  });

  it('is read from the damaged line when workspace.yaml is lost as well', async () => {
    const session = await stored('echo one');
    await forgetCaches(session);
    await rm(join(session.folder, 'workspace.yaml'));
    await changeFirstLine(session.folder, damages['a flipped bit in the checksum'] ?? (() => {}));
    const { client } = await started(session.stateDir);
    const opened = await client.openSession(session.uri);
    expect(opened.confirmed.value.turns).toHaveLength(1);
    expect(opened.confirmed.value.summary).toMatchObject({ provider: 'mock', model: 'mock-large' });
  });

  it('is left unchanged, with an error, when the first record is lost everywhere', async () => {
    const session = await stored('echo one');
    await forgetCaches(session);
    await rm(join(session.folder, 'workspace.yaml'));
    const bytes = await changeFirstLine(session.folder, (line) => line.fill(0));
    const { client } = await started(session.stateDir);
    await expect(client.openSession(session.uri)).rejects.toThrow(
      /the first line of its log is damaged.*restore .*events\.jsonl from a backup/,
    );
    expect(await readFile(join(session.folder, 'events.jsonl'))).toEqual(bytes);
  });
});
