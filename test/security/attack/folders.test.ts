import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { BrowseDirectoryResult } from '@agenthost/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawClient } from '../../support/rawClient.js';
import { AttackedHost } from './attackedHost.js';

const makePipe = (path: string) => promisify(execFile)('mkfifo', [path]);

/** The folders that sessions work in are foreign: anything may be in a file's place. */
describe('folders', () => {
  let attacked: AttackedHost;
  let client: RawClient;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agenthost-hostile-'));
    attacked = await AttackedHost.start();
    client = await RawClient.open(attacked.host);
    await client.request('initialize', { protocolVersion: 2, clientId: 'attacker' });
  });
  afterAll(async () => {
    await client.end();
    await attacked.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  /** Browses the folder above, and makes a session in each folder and says something there. */
  async function use(names: readonly string[]): Promise<void> {
    const parent = pathToFileURL(folder).href;
    await client.request<BrowseDirectoryResult>('browseDirectory', { uri: parent });
    for (const name of names) {
      const session = `mock:/${crypto.randomUUID()}`;
      await client.request('createSession', { session, workingDirectory: `${parent}/${name}` });
      const { lifecycle } = await client.stateOf(session);
      if (lifecycle === 'creating') await client.nextAction(session, 'session/ready');
      await client.act({ type: 'session/turnStarted', session, turnId: 't', userMessage: { text: 'hello' } });
      await client.nextAction(session, 'session/turnComplete');
    }
  }

  const PLACES = ['.git/HEAD', '.git/config', 'AGENTS.md', '.mcp.json', '.claude/skills/x/SKILL.md', '.env'];

  it.each([
    ['pipes that nobody writes to', makePipe],
    ['links to a device without an end', (path: string) => symlink('/dev/zero', path)],
    ['links to themselves', (path: string) => symlink(path, path)],
    ['links to a folder', (path: string) => symlink('/proc', path)],
  ])('with %s in the place of files do not hang the host', async (what, make) => {
    const names = Array.from({ length: 8 }, (_, n) => `${what.replaceAll(' ', '-')}-${n}`);
    for (const name of names) {
      for (const place of PLACES) {
        const path = join(folder, name, place);
        await mkdir(join(path, '..'), { recursive: true });
        await make(path);
      }
    }
    await attacked.during(what, () => use(names));
  });

  it('with hundreds of hostile skills do not block the host', async () => {
    for (let n = 0; n < 300; n++) {
      const skill = join(folder, 'skills', '.claude', 'skills', `s${n}`);
      await mkdir(skill, { recursive: true });
      await writeFile(join(skill, 'SKILL.md'), `---\n${['? ', '[', '{a: ', '- ', '&a '][n % 5]?.repeat(4_000)}\n---\n`);
    }
    await attacked.during('300 hostile skills', () => use(['skills']));
  });

  it('with very many files are listed in part', async () => {
    const many = join(folder, 'many');
    await mkdir(many);
    for (let n = 0; n < 50; n++) {
      await Promise.all(Array.from({ length: 1_000 }, (_, at) => writeFile(join(many, `file-${n}-${at}`), '')));
    }
    const listed = () => client.request<BrowseDirectoryResult>('browseDirectory', { uri: pathToFileURL(many).href });
    const { entries } = await attacked.during('a folder of 50,000 files', listed);
    expect(entries.length).toBe(5_000);
  });
});
