// Counts the files whose code runs when one message goes from the sessions layer to the host and is accepted, by V8 coverage:
// `npm run message-path`. The fewer there are, the easier a message is to follow. With --files it lists them; with --json it
// prints them and the files that run from there to the end of the turn, for the events of the agent.
import { mkdtemp, rm } from 'node:fs/promises';
import { Session as Inspector, type Profiler } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createHostClient } from '@agenthost/client';
import { Host, MockAgent } from '@agenthost/host';
import { AgentHostProvider, type ChatModel } from '@agenthost/sessions';

const ROOT = join(import.meta.dirname, '..');
const SETTLE_MS = 1_000;

const stateDir = await mkdtemp(join(tmpdir(), 'agenthost-path-'));
const host = await Host.start({ stateDir, agents: [new MockAgent()], env: {} });
const client = createHostClient({ ...(await host.listen()), clientInfo: { name: 'path' } });
const provider = new AgentHostProvider(client);
await client.connected();
const draft = await provider.createNewSession(provider.resolveWorkspace('file:///tmp'));
const session = await provider.sendAndCreateChat(draft.sessionId, { query: 'echo first' });
const chat = provider.openChat(session.mainChat.resource);
await chat.opened();
// Warm up: the first messages create what later ones reuse.
await turnsOf(chat, 1);
await chat.submit('echo second');
await turnsOf(chat, 2);
const inspector = new Inspector();
inspector.connect();
await inspector.post('Profiler.enable');
await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
// Twice, and only the files of both: a timer that happens to fire meanwhile does not count.
const [first, second] = [await measure('echo third', 3), await measure('echo fourth', 4)];
const message = first.message.filter((file) => second.message.includes(file));
const event = first.event.filter((file) => second.event.includes(file));
inspector.disconnect();

if (process.argv.includes('--json')) console.log(JSON.stringify({ message, event }));
else {
  const counts = new Map<string, number>();
  for (const file of message) counts.set(packageOf(file), (counts.get(packageOf(file)) ?? 0) + 1);
  if (process.argv.includes('--files')) console.log(message.join('\n'));
  const parts = [...counts].sort((a, b) => b[1] - a[1]).map(([name, count]) => `${name} ${count}`);
  console.log(`One message runs code in ${message.length} files: ${parts.join(', ')}.`);
}

chat.dispose();
provider.dispose();
client.close();
await host.close();
await rm(stateDir, { recursive: true, force: true });

/** The files that one message runs until it is accepted, and those that its turn runs after that. */
async function measure(text: string, turns: number): Promise<{ readonly message: string[]; readonly event: string[] }> {
  // Let the timers of earlier turns pass (index, presence, summaries).
  await setTimeout(SETTLE_MS);
  await filesRun();
  await chat.submit(text);
  const message = await filesRun();
  await turnsOf(chat, turns);
  return { message, event: await filesRun() };
}

/** The source files with a function that was called since the last call of this. */
async function filesRun(): Promise<string[]> {
  const { result } = await inspector.post('Profiler.takePreciseCoverage');
  return result
    .filter(hasRun)
    .flatMap(({ url }) => sourceFile(url) ?? [])
    .sort();
}

function hasRun({ functions }: Profiler.ScriptCoverage): boolean {
  return functions.some(({ functionName, ranges }) => functionName !== '' && ranges.some(({ count }) => count > 0));
}

function sourceFile(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  const file = relative(ROOT, fileURLToPath(url));
  return file.startsWith('packages/') ? file.replace('/dist/', '/src/').replace(/\.js$/, '.ts') : undefined;
}

function packageOf(file: string): string {
  return file.split('/')[1] ?? '';
}

async function turnsOf({ confirmed }: ChatModel, count: number): Promise<void> {
  const isDone = () => confirmed.value?.turns.length === count && !confirmed.value.activeTurn;
  if (isDone()) return;
  await new Promise<void>((resolve) => {
    const watched = confirmed.subscribe(() => {
      if (!isDone()) return;
      watched.dispose();
      resolve();
    });
  });
}
