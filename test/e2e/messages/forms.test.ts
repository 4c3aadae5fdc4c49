import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ActionRejectedError, type HostClient, type PendingPermission, type SessionHandle } from '@agenthost/client';
import type { AgentEvent } from '@agenthost/host';
import type { Form, FormField } from '@agenthost/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScriptedAgent, type ScriptedTurn } from '../../support/agents/scriptedAgent.js';
import type { RawClient } from '../../support/rawClient.js';
import { rawSession, startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

const SECRET = 'xyzzy-hunter2-plugh';
const FILLED = { flow: 'embedded', checks: ['lint'], retries: 3, staging: true };

async function openQuestion({ pendingPermissions }: SessionHandle): Promise<PendingPermission> {
  const [question] = await until(pendingPermissions, (open) => open.length > 0);
  if (!question) throw new Error('nothing is asked');
  return question;
}

/** Everything under a folder, as one text. */
async function allFiles(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  // The host replaces some of them right now.
  const read = (path: string) => readFile(path, 'latin1').catch(() => '');
  return (await Promise.all(files.map((file) => read(join(file.parentPath, file.name))))).join('\n');
}

describe('questions with a form', () => {
  const lines: string[] = [];
  let host: TestHost;
  let alice: RawClient;
  let bob: RawClient;
  beforeAll(async () => {
    const log = (line: string) => void lines.push(line);
    host = await startTestHost({ log: { debug: log, info: log, warn: log, error: log } });
    [alice, bob] = [await host.raw('alice'), await host.raw('bob')];
    // Their numbers differ, so that neither takes the other's action for its echo.
    await bob.echo(bob.dispatch({ session: 'mock:/none', type: 'session/isReadChanged', isRead: true }, 10_000));
  });
  afterAll(() => host.dispose());

  async function asked(text = 'form') {
    const session = await rawSession([alice, bob]);
    await alice.act({ session, type: 'session/turnStarted', turnId: 't', userMessage: { text } });
    const { request } = await bob.nextAction(session, 'session/permissionRequest');
    const answer = { session, type: 'session/permissionResolved', turnId: 't', requestId: request.requestId };
    return { session, request, answer };
  }
  const said = async (session: string) => (await bob.nextAction(session, 'session/delta')).content;

  it('[FORM1] [VAL4] are answered once: of two answers the first wins, and the loser is told by whom', async () => {
    const { session, answer } = await asked();
    const values = { flow: 'embedded', button: 'Pay now' };
    expect((await bob.act({ ...answer, approved: true, values })).rejection).toBeUndefined();
    const { rejection } = await alice.act({ ...answer, approved: true, values: { flow: 'both' } });
    expect(rejection).toMatchObject({ code: 'unknownPermissionRequest', by: { name: 'bob' } });
    expect(await said(session)).toBe(`You answered: ${JSON.stringify(values)}`);
    const answered = (await alice.stateOf(session)).turns[0]?.answeredPermissions?.[0];
    expect(answered).toMatchObject({ form: 'answered', text: 'Embedded form, Pay now', by: { name: 'bob' } });
  });

  it('[FORM2] are skipped with an approval without values, and declined without one', async () => {
    for (const [approved, words, form] of [
      [true, 'You skipped it, so I decide.', 'skipped'],
      [false, 'You declined.', 'declined'],
    ] as const) {
      const { session, answer } = await asked('form all');
      expect((await bob.act({ ...answer, approved })).rejection).toBeUndefined();
      expect(await said(session)).toBe(words);
      await bob.nextAction(session, 'session/turnComplete');
      expect((await bob.stateOf(session)).turns[0]?.answeredPermissions?.[0]?.form).toBe(form);
    }
  });

  const full = { ...FILLED, mail: 'mira@example.com' };
  const UNFIT: readonly (readonly [what: string, values: object, field: string])[] = [
    ['an unknown field', { ...full, extra: 1 }, 'extra'],
    ['a field that objects inherit', { ...full, toString: 'x' }, 'toString'],
    ['a missing field', { ...full, flow: undefined }, 'flow'],
    ['an empty required text', { ...full, flow: '' }, 'flow'],
    ['another choice', { ...full, flow: 'free' }, 'flow'],
    ['a number for a choice', { ...full, flow: 1 }, 'flow'],
    ['a list for one choice', { ...full, flow: ['embedded'] }, 'flow'],
    ['one choice for a list', { ...full, checks: 'lint' }, 'checks'],
    ['too many choices', { ...full, checks: ['lint', 'tests', 'bench'] }, 'checks'],
    ['a choice twice', { ...full, checks: ['lint', 'lint'] }, 'checks'],
    ['a number that is too large', { ...full, retries: 6 }, 'retries'],
    ['a fraction', { ...full, retries: 1.5 }, 'retries'],
    ['a text for a number', { ...full, retries: '3' }, 'retries'],
    ['a text for a yes', { ...full, staging: 'yes' }, 'staging'],
    ['no e-mail address', { ...full, mail: 'mira at example' }, 'mail'],
    ['a secret among the values', { ...full, token: 'not-so-secret' }, 'token'],
  ];

  it('[FORM3] refuse what does not fit, name the field and stay open', async () => {
    const { session, answer } = await asked('form all');
    for (const [what, values, field] of UNFIT) {
      const secrets = 'token' in values ? {} : { secrets: { token: SECRET } };
      const { rejection } = await bob.act({ ...answer, approved: true, values, ...secrets });
      expect(rejection, what).toMatchObject({ code: 'valueDoesNotFit', field });
      expect(rejection?.detail, what).toContain(field);
    }
    expect((await alice.stateOf(session)).summary.status).toBe('inputNeeded');
    expect((await alice.act({ ...answer, approved: false })).rejection).toBeUndefined();
  });

  it('[FORM3] refuse a secret that is too short or missing, and values where there is no form', async () => {
    const { answer } = await asked('form all');
    for (const secrets of [{ token: 'abc' }, { token: '' }, {}]) {
      const { rejection } = await bob.act({ ...answer, approved: true, values: FILLED, secrets });
      expect(rejection).toMatchObject({ code: 'valueDoesNotFit', field: 'token' });
    }
    const plain = await asked('question');
    const { rejection } = await bob.act({ ...plain.answer, approved: true, values: { a: 1 } });
    expect(rejection?.code).toBe('takesNoValues');
  });

  it('[FORM3] refuse values that are no values, and a text that is too long', async () => {
    const { answer } = await asked();
    for (const values of [{ flow: { nested: true } }, { flow: null }, 7, [], { flow: 'x'.repeat(10_001) }]) {
      const { rejection } = await bob.act({ ...answer, approved: true, values });
      expect(rejection?.code, JSON.stringify(values).slice(0, 40)).toMatch(/invalidAction|valueDoesNotFit/);
    }
    expect((await bob.act({ ...answer, approved: false })).rejection).toBeUndefined();
  });

  it('[FORM4] clients without forms choose among the options of the only choice', async () => {
    const { session, request, answer } = await asked();
    expect(request.options?.map(({ id }) => id)).toEqual(['redirect', 'embedded', 'both', 'form/skip', 'form/decline']);
    expect((await alice.act({ ...answer, approved: true, optionId: 'both' })).rejection).toBeUndefined();
    expect(await said(session)).toBe('You answered: {"flow":"both"}');
  });

  it('[FORM4] clients without forms skip or decline what they cannot fill in', async () => {
    const { session, request, answer } = await asked('form all');
    expect(request.options?.map(({ id, kind }) => [id, kind])).toEqual([
      ['form/skip', undefined],
      ['form/decline', 'deny'],
    ]);
    expect((await alice.act({ ...answer, approved: true, optionId: 'form/skip' })).rejection).toBeUndefined();
    expect(await said(session)).toBe('You skipped it, so I decide.');
    const other = await asked('form all');
    expect((await alice.act({ ...other.answer, approved: false, optionId: 'form/decline' })).rejection).toBeUndefined();
    expect(await said(other.session)).toBe('You declined.');
  });

  it('[FORM5] give a secret to the agent alone: it is in no frame, no state, no file and no log', async () => {
    const { session, answer } = await asked('form all');
    const sent = { ...answer, approved: true, values: FILLED, secrets: { token: SECRET } };
    const clientSeq = bob.dispatch(sent);
    const echo = await bob.echo(clientSeq);
    expect(echo.rejection).toBeUndefined();
    expect(echo.action).toMatchObject({ secrets: { token: '' } });
    expect(await said(session)).toContain(`and a secret of ${SECRET.length} characters`);
    await bob.nextAction(session, 'session/turnComplete');
    // The loser's secret is kept no better.
    await alice.act({ ...sent, values: FILLED });
    // [ONCE3] sent again after a lost echo, it is known again without the secret.
    bob.dispatch(sent, clientSeq);
    expect((await bob.nextEnvelope(({ repeated }) => repeated === true)).serverSeq).toBe(echo.serverSeq);
    const state = await alice.stateOf(session);
    expect(state.turns[0]?.answeredPermissions?.[0]?.text).toContain('Deploy token: ••••');
    for (const client of [alice, bob]) {
      await client.fence();
      expect(JSON.stringify(client.received).includes(SECRET)).toBe(false);
    }
    expect(JSON.stringify(state).includes(SECRET)).toBe(false);
    expect((await allFiles(host.stateDir)).includes(SECRET)).toBe(false);
    expect(lines.join('\n').includes(SECRET)).toBe(false);
    expect((await allFiles(host.stateDir)).includes('Deploy token')).toBe(true);
  });

  it('[FORM6] end with their turn', async () => {
    const { session, answer } = await asked();
    await alice.act({ session, type: 'session/turnCancelled', turnId: 't' });
    const { rejection } = await bob.act({ ...answer, approved: true, values: { flow: 'both' } });
    expect(rejection?.code).toBe('unknownPermissionRequest');
    expect((await alice.stateOf(session)).summary.status).toBe('idle');
  });
});

describe('a question with a form and a program', () => {
  let host: TestHost;
  let client: HostClient;
  const FIELDS: Readonly<Record<string, readonly FormField[]>> = {
    back: [{ kind: 'text', id: 'a', label: 'A' }],
    none: [],
    twins: [
      { kind: 'text', id: 'a', label: 'A' },
      { kind: 'text', id: 'a', label: 'A again' },
    ],
    many: Array.from({ length: 10_000 }, (_, n) => ({ kind: 'text', id: `f${n}`, label: 'F' })),
  };
  async function* ask(text: string, turn: ScriptedTurn): AsyncGenerator<AgentEvent> {
    const form: Form = { fields: FIELDS[text] ?? [] };
    const answered = turn.answer('q');
    yield { type: 'permissionRequest', request: { requestId: 'q', kind: 'question', title: 'Q', message: '', form } };
    if (text === 'back') {
      yield { type: 'questionWithdrawn', requestId: 'q' };
      yield { type: 'text', text: 'Never mind.' };
      await turn.answer('never');
    }
    yield { type: 'text', text: JSON.stringify(await answered) };
  }
  beforeAll(async () => {
    const script = ({ text }: { readonly text: string }, turn: ScriptedTurn) => ask(text, turn);
    host = await startTestHost({ agents: [new ScriptedAgent({ provider: 'asks', displayName: 'Asks', script })] });
    client = await host.connect({ clientInfo: { name: 'Mira' } });
  });
  afterAll(() => host.dispose());

  it('[FORM6] one that the agent takes back is closed for all', async () => {
    const session = await client.createSession({ provider: 'asks' });
    await session.send('back');
    const { activeTurn } = await until(
      session.confirmed,
      (state) => state.summary.status === 'inProgress' && state.activeTurn?.answeredPermissions !== undefined,
    );
    expect(activeTurn?.answeredPermissions).toMatchObject([{ form: 'declined' }]);
    expect(activeTurn?.answeredPermissions?.[0]).not.toHaveProperty('by');
    const late = {
      type: 'session/permissionResolved',
      turnId: activeTurn?.id ?? '',
      requestId: 'q',
      approved: true,
    } as const;
    await expect(session.dispatch(late)).rejects.toMatchObject({ rejection: { code: 'unknownPermissionRequest' } });
    await session.cancel();
  });

  it.each(Object.keys(FIELDS).slice(1))(
    '[FORM7] one that no client can show (%s) is asked without its fields',
    async (text) => {
      const session = await client.createSession({ provider: 'asks' });
      await session.send(text);
      const question = await openQuestion(session);
      expect(question.request).not.toHaveProperty('form');
      expect(question.request.options?.map(({ id }) => id)).toEqual(['form/skip', 'form/decline']);
      await question.answer({ approved: true, optionId: 'form/skip' });
      await until(session.state, ({ turns }) => turns.length === 1);
    },
  );
});

describe('a form and a restart of the host', () => {
  it('[FORM6] the turn of an open form ends, and the form with it', async () => {
    const stateDir = await temporaryFolder();
    const first = await startTestHost({ stateDir });
    const mira = await first.connect({ clientInfo: { name: 'Mira' } });
    const before = await mira.createSession({ provider: 'mock' });
    await before.send('form');
    const question = await openQuestion(before);
    await expect(question.fill({ flow: 'nothing' })).rejects.toSatisfy(
      (error) => error instanceof ActionRejectedError && error.rejection.field === 'flow',
    );
    await first.dispose();
    const second = await startTestHost({ stateDir });
    const again = await (await second.connect()).openSession(before.uri);
    expect(again.state.value.activeTurn).toBeUndefined();
    expect(again.state.value.turns[0]?.state).toBe('error');
    await again.send('form');
    await (await openQuestion(again)).skip();
    await until(again.state, ({ turns }) => turns.length === 2);
    await second.dispose();
    await rm(stateDir, { recursive: true, force: true });
  });
});
