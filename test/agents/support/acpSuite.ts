import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { agentContract } from '../../../packages/host/contract/agentContract.js';
import { EventRecorder } from '../../../packages/host/contract/eventRecorder.js';
import { AcpAgent } from '../../../packages/host/src/agents/acp/acpAgent.js';
import type { AgentSession, Decision, OpenSessionOptions } from '../../../packages/host/src/agents/agent.js';
import { memorySessionFs } from '../../../packages/host/test/agents/support/memorySessionFs.js';
import { processesIn } from '../../../packages/host/test/agents/support/processes.js';
import { reasoning, slow, text, toolCalls } from '../../support/modelServer/modelReply.js';
import { ModelServer } from '../../support/modelServer/modelServer.js';
import { ACP_CASES, type AcpCase, nextMinute, specOf } from './acpCases.js';
import { agentEnv, agentFolders } from './agentCase.js';
import { recordCapability, recordContractCase } from './capabilities.js';
import { AGENTS_FOLDER, installAgent } from './installAgents.js';

const TIMEOUT_MS = 60_000;

/** The agent contract and what is particular to agents of this protocol, on a real agent with a scripted model. */
export function acpSuite(provider: AcpCase['provider']): void {
  const agentCase = ACP_CASES.find((one) => one.provider === provider);
  if (!agentCase) throw new Error(`there is no case for ${provider}`);
  const spec = specOf(agentCase);
  let model: ModelServer;

  beforeAll(async () => {
    // One case has a listener that throws; the warnings about it are no news.
    vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    await installAgent(agentCase.provider);
  });
  beforeEach(async () => {
    model = await ModelServer.start();
    model
      .script('say hello', text('Hello from the model.'))
      .script('think first', reasoning('Let me think.', 'Thought.'))
      .script('run a command', toolCalls(agentCase.shell('mkdir -p made && echo it ran')))
      .script('go on for ever', slow())
      .script('the number is 4711', text('I will remember.'))
      .script('which number', ({ items }) =>
        text(`It was ${/number is (\d+)/.exec(items.map((item) => item.text).join(' '))?.[1]}.`),
      );
  });
  afterEach(() => model.dispose());

  const createAgent = () =>
    new AcpAgent({ spec, stateDir: dirname(AGENTS_FOLDER), hostEnv: {}, startTimeoutMs: TIMEOUT_MS });

  const openOptions = async (): Promise<OpenSessionOptions> => {
    const { home, cwd } = await agentFolders();
    return {
      sessionId: 's1',
      cwd,
      sessionFs: memorySessionFs(),
      customizations: [],
      config: {},
      env: { ...agentEnv(home), ...(await agentCase.prepare(home, model.url)) },
      signal: new AbortController().signal,
    };
  };

  async function open(change: Partial<OpenSessionOptions> = {}) {
    const agent = createAgent();
    onTestFinished(() => agent.dispose());
    const opening = { ...(await openOptions()), ...change };
    const session = await agent.openSession(opening);
    return { agent, session, recorder: new EventRecorder(session, TIMEOUT_MS), opening };
  }

  describe(`the agent contract: ${spec.displayName}`, () => {
    const cases = agentContract({
      create: async () => createAgent(),
      openOptions,
      processes: processesIn,
      timeoutMs: TIMEOUT_MS,
      prompts: {
        text: 'say hello',
        ...(agentCase.hasReasoning && { reasoning: 'think first' }),
        tool: { prompt: 'run a command' },
        endless: 'go on for ever',
        ...(!agentCase.forgetsTheMinute && {
          resume: { tell: 'the number is 4711', recall: 'which number', answer: '4711' },
        }),
      },
    });
    for (const { name, run } of cases) {
      it(name, async () => {
        await run();
        recordContractCase(provider, name);
      });
    }
  });

  describe(spec.displayName, () => {
    it('shows its command as a terminal, with the output', async () => {
      const { session, recorder } = await open();
      approveAll(session);
      await session.send({ text: 'run a command' });
      expect((await recorder.end()).type).toBe('idle');
      const call = recorder.of('toolStart').at(-1)?.toolCall;
      expect(call).toMatchObject({
        displayName: 'Terminal',
        toolKind: 'terminal',
        toolInput: 'mkdir -p made && echo it ran',
        status: 'pendingConfirmation',
      });
      expect(recorder.of('toolComplete').map(({ result }) => result)).toMatchObject([
        { success: true, pastTenseMessage: expect.stringContaining('Ran `mkdir -p made && echo it ran`') },
      ]);
      // What the tool said goes back to the model, and comes from there, where the agent itself does not show it.
      expect(recorder.output() + recorder.text()).toContain('it ran');
    });

    it('reports the files that it changed', async () => {
      const { session, recorder, opening } = await open();
      const file = join(opening.cwd, 'new.txt');
      model.script('write a file', toolCalls(agentCase.write(file, 'one\ntwo\n')));
      approveAll(session);
      await session.send({ text: 'write a file' });
      expect((await recorder.end()).type).toBe('idle');
      expect(existsSync(file)).toBe(true);
      expect(recorder.of('changes').at(-1)?.changes).toEqual([
        { uri: pathToFileURL(file).href, insertions: 2, deletions: 0 },
      ]);
    });

    it('asks before it runs a command, changes a file, or writes outside of its folder', async () => {
      const { session, recorder, opening } = await open();
      const inside = join(opening.cwd, 'asked.txt');
      // Not in the folder for temporary files, where this tree may be as well: sandboxes let agents write there.
      const elsewhere = AGENTS_FOLDER.startsWith(tmpdir()) ? '/var/tmp' : AGENTS_FOLDER;
      const outside = join(elsewhere, `agenthost-outside-${crypto.randomUUID()}.txt`);
      onTestFinished(() => rm(outside, { force: true }));
      model
        .script('use the shell', toolCalls(agentCase.shell('echo x > made.txt')))
        .script('write inside', toolCalls(agentCase.write(inside, 'one\n')))
        .script('write outside', toolCalls(agentCase.write(outside, 'one\n')));
      denyAll(session);
      for (const [index, prompt] of ['use the shell', 'write inside', 'write outside'].entries()) {
        await session.send({ text: prompt });
        await recorder.end(index + 1);
      }
      const made = [join(opening.cwd, 'made.txt'), inside, outside].map((file) => existsSync(file));
      expect(made).toEqual([false, agentCase.writesInFolder === true, false]);
      const note = agentCase.writesInFolder ? 'but writes in its folder' : undefined;
      recordCapability(provider, 'asks', 'yes', note);
    });

    it('tells its model why something was denied', async () => {
      const { session, recorder } = await open();
      session.onEvent((event) => {
        if (event.type !== 'toolStart' || event.toolCall.status !== 'pendingConfirmation') return;
        session.answer(event.toolCall.toolCallId, { approved: false, reason: 'ONLY-ON-MONDAYS' });
      });
      await session.send({ text: 'run a command' });
      expect((await recorder.end()).type).toBe('idle');
      const last = model.requests.findLast(({ tools }) => tools.length > 0);
      expect(JSON.stringify(last?.body).includes('ONLY-ON-MONDAYS')).toBe(true);
      recordCapability(provider, 'reason', 'yes');
    });

    it('reports the usage of each turn, not of all turns', async () => {
      const { session, recorder } = await open();
      const usagesAfter = async (turns: number) => {
        for (let turn = recorder.of('idle').length + 1; turn <= turns; turn++) {
          await session.send({ text: 'say hello' });
          await recorder.end(turn);
        }
        return recorder.of('usage').map(({ usage }) => usage);
      };
      // Every answer of the scripted model has the same number of tokens.
      const usages = await usagesAfter(3);
      expect(usages.map(({ inputTokens }) => inputTokens)).toEqual([10, 10, 10]);
      for (const { contextUsed = 0, contextSize = 0 } of usages) expect(contextUsed).toBeLessThanOrEqual(contextSize);
      recordCapability(provider, 'usage', 'yes', usages[0]?.cost === undefined ? undefined : 'with the cost');
      if (usages[0]?.cost === undefined) return;
      // Requests for titles and the like cost as well, one or two in a turn: a total of 12 turns is far more than that.
      const costs = (await usagesAfter(12)).map(({ cost = 0 }) => cost);
      expect(Math.max(...costs)).toBeLessThanOrEqual(4 * Math.min(...costs));
    });

    it('ends its turn with an error when it is killed, and continues in the next session', async () => {
      const { agent, session, recorder, opening } = await open();
      await session.send({ text: 'the number is 4711' });
      await recorder.end(1);
      await session.send({ text: 'go on for ever' });
      await recorder.until('the second turn', () => recorder.text().includes('word'));
      for (const pid of await processesIn(opening.cwd)) kill(pid);
      expect(await recorder.end(2)).toMatchObject({ type: 'error', error: { errorType: 'agentEnded' } });
      await session.dispose();
      if (agentCase.forgetsTheMinute) await nextMinute();
      const { nativeSessionId: resume = '' } = session;
      const next = await agent.openSession({ ...opening, resume });
      const heard = new EventRecorder(next, TIMEOUT_MS);
      await next.send({ text: 'which number' });
      await heard.end();
      expect(heard.text()).toContain('It was 4711.');
      recordCapability(provider, 'crash', 'yes');
    });

    it.runIf(agentCase.forgetsTheMinute)('resumes when the first minute is over', async () => {
      const { agent, session, recorder, opening } = await open();
      await session.send({ text: 'the number is 4711' });
      await recorder.end();
      await session.dispose();
      await nextMinute();
      const { nativeSessionId: resume = '' } = session;
      const next = await agent.openSession({ ...opening, resume });
      const heard = new EventRecorder(next, TIMEOUT_MS);
      await next.send({ text: 'which number' });
      await heard.end();
      expect(heard.text()).toBe('It was 4711.');
      recordCapability(provider, 'resume', 'yes', 'after its first minute');
    });

    it('sees only the given environment', async () => {
      const { session, recorder, opening } = await open();
      model.script('show the environment', toolCalls(agentCase.shell('env > seen.txt && cat seen.txt')));
      approveAll(session);
      await session.send({ text: 'show the environment' });
      await recorder.end();
      const seen = await readFile(join(opening.cwd, 'seen.txt'), 'utf8');
      expect(seen).toContain(`HOME=${opening.env['HOME']}`);
      // An agent may set variables of such names itself; ours are known by their values.
      for (const [name, value] of Object.entries(process.env).filter(([name]) => /TOKEN|SECRET|npm_/i.test(name))) {
        if (value) expect(seen).not.toContain(`${name}=${value}`);
      }
    });
  });
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended with its parent.
  }
}

function denyAll(session: AgentSession): void {
  answerAll(session, { approved: false });
}

function approveAll(session: AgentSession): void {
  answerAll(session, { approved: true });
}

function answerAll(session: AgentSession, decision: Decision): void {
  session.onEvent((event) => {
    if (event.type === 'toolStart' && event.toolCall.status === 'pendingConfirmation') {
      session.answer(event.toolCall.toolCallId, decision);
    } else if (event.type === 'permissionRequest') session.answer(event.request.requestId, decision);
  });
}
