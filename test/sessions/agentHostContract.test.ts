import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AgentSession, MockAgent, type OpenSessionOptions } from '@agenthost/host';
import { AgentHostProvider, type ChatModel, type Session } from '@agenthost/sessions';
import { providerContract } from '@agenthost/sessions/contract';
import { describe, it, vi } from 'vitest';
import { startTestHost } from '../support/testHost.js';
import { until } from '../support/until.js';

vi.spyOn(console, 'error').mockImplementation(() => {});

/** Does not start once when it is told to. */
class RefusingAgent extends MockAgent {
  refuses = false;

  override async openSession(options: OpenSessionOptions): Promise<AgentSession> {
    if (!this.refuses) return super.openSession(options);
    this.refuses = false;
    throw new Error('does not start, on purpose');
  }
}

describe.each([undefined, 'dev box'])('the agent host provider of the host %s', (name) => {
  const cases = providerContract(async () => {
    const agent = new RefusingAgent();
    const test = await startTestHost({ agents: [agent] });
    const untrusted = join(test.stateDir, 'untrusted');
    await mkdir(untrusted);
    await writeFile(join(untrusted, '.mcp.json'), JSON.stringify({ mcpServers: { tools: { command: 'true' } } }));
    const provider = new AgentHostProvider(await test.connect(), name === undefined ? {} : { name });
    return {
      provider,
      workspaceUri: pathToFileURL(test.stateDir).href,
      modelId: 'mock-large',
      refuseNext: () => {
        agent.refuses = true;
      },
      setMode: (session, id) =>
        inChat(provider, session, async (chat) => {
          await chat.submit(id === undefined ? 'mode none' : `mode ${id} A mode of the contract`);
        }),
      trust: {
        untrustedUri: pathToFileURL(untrusted).href,
        trust: (session) =>
          inChat(provider, session, async (chat) => {
            const [asked] = await until(chat.permissions, (open) => open.length > 0, 'the question');
            if (asked) await chat.answer(asked.turnId, asked.request.requestId, { approved: true });
          }),
      },
      dispose: async () => {
        provider.dispose();
        await test.dispose();
      },
    };
  });
  it.each(cases)('$name', ({ run }) => run());
});

async function inChat(
  provider: AgentHostProvider,
  { mainChat }: Session,
  act: (chat: ChatModel) => Promise<void>,
): Promise<void> {
  const chat = provider.openChat(mainChat.resource);
  await chat.opened();
  await act(chat).finally(() => chat.dispose());
}
