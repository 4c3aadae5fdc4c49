import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AhpTestClient } from '../support/ahpClient.js';
import {
  type AhpTestHost,
  ahpSession,
  ahpSubscribe,
  ahpTurn,
  startAhpHost,
  withStubAgents,
} from '../support/ahpHost.js';
import type { StubEdit } from '../support/stubAcp/edits.js';

// What VS Code writes back when the user restores a checkpoint has to be the whole file, or nothing.

const LINES = Array.from({ length: 40 }, (_, n) => `line ${n + 1}`);
const WHOLE = `${LINES.join('\n')}\n`;
const CHANGED = WHOLE.replace('line 20\n', 'line twenty\n');

let host: AhpTestHost;
let client: AhpTestClient;
let folder: string;
beforeAll(async () => {
  host = await startAhpHost({}, await withStubAgents());
  client = await host.client('restores files');
});
afterAll(() => host.dispose());
beforeEach(async () => {
  folder = join(host.stateDir, crypto.randomUUID());
  await mkdir(folder);
  await writeFile(join(folder, 'a.txt'), WHOLE);
});

/** Lets the agent make one edit; the session after it. */
async function edit(told: Partial<StubEdit>, provider = 'plain') {
  const workingDirectories = [pathToFileURL(folder).href];
  const { session, chat } = await ahpSession(client, provider, { workingDirectories });
  const one = { path: 'a.txt', told: [], when: 'asked', ...told };
  const started = ahpTurn(provider === 'mock' ? `write-file ${one.path}` : `edit ${JSON.stringify(one)}`);
  await client.act(chat, started);
  if (one.when === 'asked') {
    const { action } = await client.action(
      'chat/toolCallReady',
      (envelope) => envelope.channel === chat && !envelope.action.confirmed,
    );
    const { toolCallId } = action;
    const optionId = action.options[0].id;
    const answer = {
      turnId: started.turnId,
      toolCallId,
      approved: true,
      confirmed: 'user-action',
      selectedOptionId: optionId,
    };
    await client.act(chat, { type: 'chat/toolCallConfirmed', ...answer });
  }
  await client.action('chat/turnComplete', (envelope) => envelope.channel === chat);
  return ahpSubscribe(client, session);
}

type Session = Awaited<ReturnType<typeof edit>>;

async function textAt(side: { content: { uri: string } } | undefined): Promise<string | undefined> {
  return side && (await client.request('resourceRead', { uri: side.content.uri })).data;
}

/** What a restore would write: the contents of each edit of the turn. `undefined` on a side: there was no such file. */
async function restorable({ snapshots }: Session) {
  const content = snapshots.chat.state.turns[0].responseParts[0].toolCall.content ?? [];
  const edits = content.filter(({ type }: { type: string }) => type === 'fileEdit');
  return Promise.all(
    edits.map(async ({ before, after }: { before?: never; after?: never }) => [
      await textAt(before),
      await textAt(after),
    ]),
  );
}

async function changeset({ session, snapshots }: Session, which: 'session' | 'turn' = 'session') {
  const turn = snapshots.chat.state.turns[0].id;
  const name = which === 'session' ? which : `turn/${turn}`;
  const { snapshot } = await client.request('subscribe', { channel: `${session}/changeset/${name}` });
  return snapshot.state.files;
}

const FRAGMENT = { oldText: 'line 20', newText: 'line twenty' };

describe.each(['asked', 'announced', 'afterwards'] as const)('an edit that is %s', (when) => {
  it('[EDIT1] has the whole file before and after when the agent reports a fragment', async () => {
    const done = await edit({ when, told: [FRAGMENT], content: CHANGED });
    expect(await restorable(done)).toEqual([[WHOLE, CHANGED]]);
    for (const which of ['session', 'turn'] as const) {
      const [file] = await changeset(done, which);
      expect([await textAt(file.edit.before), await textAt(file.edit.after)]).toEqual([WHOLE, CHANGED]);
      expect(file.edit.diff).toEqual({ added: 1, removed: 1 });
    }
  });

  it('is no new file when it inserts lines', async () => {
    const after = WHOLE.replace('line 20\n', 'line 20\nline 20a\n');
    const done = await edit({ when, told: [{ oldText: '', newText: 'line 20a\n' }], content: after });
    const told = await restorable(done);
    // Without a look at the file before, it may as well have been written as a whole.
    if (when === 'asked') expect(told).toEqual([[WHOLE, after]]);
    else expect([[], [[WHOLE, after]]]).toContainEqual(told);
  });

  it('has the whole file when the agent reports it', async () => {
    const done = await edit({ when, told: [{ oldText: WHOLE, newText: CHANGED }], content: CHANGED });
    expect(await restorable(done)).toEqual([[WHOLE, CHANGED]]);
  });

  it('in several places also has the file between them', async () => {
    const between = CHANGED;
    const after = CHANGED.replace('line 5\n', 'line five\n');
    const told = [FRAGMENT, { oldText: 'line 5\n', newText: 'line five\n' }];
    const done = await edit({ when, told, content: after });
    expect(await restorable(done)).toEqual([
      [WHOLE, between],
      [between, after],
    ]);
    const [file] = await changeset(done);
    expect([await textAt(file.edit.before), await textAt(file.edit.after)]).toEqual([WHOLE, after]);
  });

  it('has no contents, only the diff as text, when the report does not fit the file', async () => {
    const done = await edit({ when, told: [{ oldText: 'no such line', newText: 'nor this one' }] });
    expect(await restorable(done)).toEqual([]);
    expect(await changeset(done)).toEqual([]);
    const [{ text }] = done.snapshots.chat.state.turns[0].responseParts[0].toolCall.content;
    expect(text).toContain('+nor this one');
  });

  it('outside of the project folder has no contents', async () => {
    const outside = join(host.stateDir, 'outside.txt');
    await writeFile(outside, WHOLE);
    const done = await edit({ when, path: '../outside.txt', told: [FRAGMENT], content: CHANGED });
    expect(await readFile(outside, 'utf8')).toBe(CHANGED);
    expect(await restorable(done)).toEqual([]);
  });
});

describe('unproven contents are not sent', () => {
  it('an existing file that the agent calls new after writing it', async () => {
    const done = await edit({ when: 'afterwards', told: [{ oldText: null, newText: CHANGED }], content: CHANGED });
    expect(await restorable(done)).toEqual([]);
  });

  it('but when the agent asks first, the host has read the file before', async () => {
    const done = await edit({ when: 'asked', told: [{ oldText: null, newText: CHANGED }], content: CHANGED });
    expect(await restorable(done)).toEqual([[WHOLE, CHANGED]]);
  });

  it('a file that was written as a whole, and changed by another program at once', async () => {
    const told = [{ oldText: null, newText: 'all of it' }];
    const done = await edit({ when: 'afterwards', told, content: 'all of it\n' });
    expect(await restorable(done)).toEqual([]);
  });

  it('a text that occurs twice in the file', async () => {
    const after = `${CHANGED}line twenty\n`;
    const done = await edit({ when: 'afterwards', told: [FRAGMENT], content: after });
    expect(await restorable(done)).toEqual([]);
  });

  it('a file that is no text', async () => {
    await writeFile(join(folder, 'a.bin'), Buffer.from([0xff, 0xfe, 0x00, 0x41]));
    const done = await edit({ when: 'announced', path: 'a.bin', told: [{ oldText: 'A', newText: 'B' }] });
    expect(await restorable(done)).toEqual([]);
  });

  it('a file that is very large', async () => {
    const large = `${'x'.repeat(2_000_000)}\n${WHOLE}`;
    await writeFile(join(folder, 'a.txt'), large);
    const done = await edit({ when: 'asked', told: [FRAGMENT], applies: true });
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toContain('line twenty');
    expect(await restorable(done)).toEqual([]);
  });
});

it('a new file has no contents before', async () => {
  const done = await edit({ path: 'new.txt', told: [{ oldText: null, newText: 'new\n' }], content: 'new\n' });
  expect(await restorable(done)).toEqual([[undefined, 'new\n']]);
  const [file] = await changeset(done);
  expect(file.edit).not.toHaveProperty('before');
});

it('bytes are unchanged: no line end is added, no mark is lost', async () => {
  const before = '\uFEFFone\r\ntwo\r\nthree';
  const after = '\uFEFFone\r\n2\r\nthree';
  await writeFile(join(folder, 'a.txt'), before);
  const done = await edit({ when: 'announced', told: [{ oldText: 'two', newText: '2' }], content: after });
  expect(await restorable(done)).toEqual([[before, after]]);
});

it('the mock agent reports whole contents as well', async () => {
  const done = await edit({ path: 'a.txt' }, 'mock');
  expect(await restorable(done)).toEqual([[WHOLE, 'Written by the mock agent.\n']]);
});
