import { expect, it } from 'vitest';
import { text, toolCalls } from '../support/modelServer/modelReply.js';
import { textOf } from '../support/say.js';
import { ACP_CASES, type AcpCase, nextMinute } from './support/acpCases.js';
import { type NativeCase, nativeCase, storeOf, terminalOf } from './support/nativeCommand.js';
import { NATIVE_VERSIONS } from './support/nativeVersions.js';
import { ended, nativeWorld, noticesOf, rest } from './support/nativeWorld.js';

// Not Gemini CLI: while a conversation is open here, `gemini --resume ID` answers "Invalid session identifier" (0.55.1 to 0.61.0).
/** CI has the time for the earliest version of each, beside the installed one. */
const ONLY_EARLIEST = process.env['AGENTHOST_NATIVE_VERSIONS'] === 'earliest';
const TRIED = ACP_CASES.filter(({ provider }) => provider !== 'gemini');
const CASES: readonly NativeCase[] = TRIED.flatMap(({ provider }) => [
  { provider, name: `${provider}, as installed` },
  ...NATIVE_VERSIONS.filter((one) => one.provider === provider)
    .slice(0, ONLY_EARLIEST ? 1 : undefined)
    .map(nativeCase),
]);

// Every turn of a conversation is made by the command of one version, or by the agent of the catalogue through the host.
it.each(CASES)(
  '$name: what is said in its own command and here is one conversation',
  {
    timeout: 600_000,
  },
  async (native) => {
    const agentCase = ACP_CASES.find(({ provider }) => provider === native.provider) as AcpCase;
    const world = await nativeWorld(agentCase);
    const { model, home, client } = world;
    model
      .script('run a command', toolCalls(agentCase.shell('echo from-the-tool')), text('It ran.'))
      .script('say more', text('More.'));
    const terminal = await terminalOf(native, world);
    const anotherMinute = async () => {
      if (agentCase.forgetsTheMinute) await nextMinute();
    };

    await terminal('the number is 4711');
    const [begun] = (await client.native.list()).items;
    const nativeId = begun?.command.split(' ').at(-1) ?? '';
    await anotherMinute();
    await terminal('run a command', nativeId);

    // It is listed once and read, and nothing in the store changes by that.
    const before = await storeOf(native, home);
    const listed = async () => (await client.native.list()).items;
    await expect.poll(async () => (await listed()).length, { timeout: 10_000 }).toBe(1);
    const [item] = await listed();
    if (!item) throw new Error('nothing is listed');
    const turns = async () => (await client.native.fetchTurns(item.id, { limit: 20 })).turns;
    const messages = async () => (await turns()).map(({ userMessage }) => userMessage.text.trim());
    const read = await turns();
    expect(read.map(({ userMessage, state }) => [userMessage.text.trim(), state])).toEqual([
      ['the number is 4711', 'complete'],
      ['run a command', 'complete'],
    ]);
    expect(textOf(read[0])).toContain('I will remember.');
    expect(textOf(read[1])).toContain('It ran.');
    expect(JSON.stringify(read[1]?.toolCalls)).toContain('from-the-tool');
    expect(await storeOf(native, home)).toEqual(before);

    // Continued here.
    await anotherMinute();
    await rest(home);
    const uri = `${native.provider}:/${crypto.randomUUID()}`;
    await expect
      .poll(() => client.native.continue(item.id, uri).then(() => 'done', String), { timeout: 30_000, interval: 500 })
      .toBe('done');
    const session = await client.openSession(uri);
    expect((await ended(session, 'the colour is blue', 3))?.state).toBe('complete');

    // Continued in the command, which knows what was said here, while the session here is open.
    await anotherMinute();
    const said = await terminal('said in a terminal: which number', nativeId).then(
      (printed) => {
        expect(printed).toContain('It was 4711, blue,');
        return true;
      },
      (error: unknown) => {
        // Those that lock a conversation say so.
        expect(String(error)).toMatch(/in use|already|locked/i);
        return false;
      },
    );

    // Here the next message is refused until it rests there; then the agent knows both.
    let turn = await ended(session, 'which number', 4);
    for (let count = 5; turn?.error?.errorType === 'nativeSessionBusy' && count < 40; count++) {
      expect(turn.error.message).toContain('said in a terminal');
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      turn = await ended(session, 'which number', count);
    }
    expect(turn?.error).toBeUndefined();
    expect(textOf(turn)).toContain(said ? 'It was 4711, blue, said in a terminal.' : 'It was 4711, blue,');
    if (said && native.provider !== 'opencode') expect(noticesOf(turn).join()).toContain('continued in a terminal');
    session.dispose();
    await client.disposeSession(uri);

    // Nothing is lost, and the command still continues it.
    await anotherMinute();
    const all = ['the number is 4711', 'run a command', 'the colour is blue'];
    const afterwards = [...all, ...(said ? ['said in a terminal: which number'] : []), 'which number'];
    expect(await messages()).toEqual(afterwards);
    expect(await terminal('say more and which number', nativeId)).toContain('It was 4711, blue,');
    expect(await messages()).toEqual([...afterwards, 'say more and which number']);
  },
);
