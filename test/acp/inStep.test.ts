import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { RequestPermissionRequest, RequestPermissionResponse, SessionUpdate } from '@agentclientprotocol/sdk';
import type { HostClient, SessionHandle } from '@agenthost/client';
import type { Turn } from '@agenthost/protocol';
import { AgentHostProvider, type ChatModel } from '@agenthost/sessions';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AttachModel } from '../../apps/cli/src/attach/attachModel.js';
import { startTestHost, type TestHost } from '../support/testHost.js';
import { until } from '../support/until.js';
import { Editor } from './editor.js';

/** `AGENTHOST_ACP_RUNS=10000` is the long form. */
const RUNS = Number(process.env['AGENTHOST_ACP_RUNS'] ?? 60);
const FIRST = Number(process.env['AGENTHOST_ACP_SEED'] ?? 1);
const STEPS = 8;
const MESSAGES = ['hello', 'reasoning', 'use-tool', 'confirm-tool', 'permission', 'confirm-read', 'error', 'words'];

let test: TestHost;
let page: { readonly host: HostClient; readonly provider: AgentHostProvider };
let terminal: AttachModel;
let script: HostClient;
let editor: Editor;
let random: () => number = Math.random;

beforeAll(async () => {
  test = await startTestHost();
  const host = await test.connect({ clientInfo: { name: 'page' } });
  page = { host, provider: new AgentHostProvider(host) };
  terminal = new AttachModel(await test.connect({ clientInfo: { name: 'terminal' } }));
  script = await test.connect({ clientInfo: { name: 'script' } });
  editor = await Editor.start(test, {
    args: ['--agent', 'mock'],
    capabilities: { session: { notices: {} } },
    permission: answer,
  });
});
afterAll(async () => {
  await editor?.kill();
  terminal?.dispose();
  page?.provider.dispose();
  await test?.dispose();
});

async function answer({ options }: RequestPermissionRequest): Promise<RequestPermissionResponse> {
  const chosen = options[Math.floor(random() * (options.length + 1))];
  if (!chosen) return { outcome: { outcome: 'cancelled' } };
  await turnOfTheLoop();
  return { outcome: { outcome: 'selected', optionId: chosen.optionId } };
}

it(
  `shows the same in the page, the terminal, a script and an editor, in ${RUNS} interleavings`,
  async () => {
    for (let seed = FIRST; seed < FIRST + RUNS; seed++) await play(seed);
  },
  60_000 + RUNS * 1_000,
);

/** Everybody does something at once, in an order that the seed decides; then all that they see is compared. */
async function play(seed: number): Promise<void> {
  random = seeded(seed);
  const uri = await editor.open(test.stateDir);
  const session = await script.openSession(uri);
  const chat = page.provider.openChat(`${page.provider.id}:${uri}`);
  terminal.open(uri);
  const shown = terminal.chat;
  if (!shown) throw new Error('the terminal shows nothing');
  await Promise.all([chat.opened(), shown.opened()]);
  const doing: Promise<unknown>[] = [];
  for (let step = 0; step < STEPS; step++) {
    doing.push(act(session, chat, shown).catch(() => {}));
    for (let wait = Math.floor(random() * 6); wait > 0; wait--) await turnOfTheLoop();
  }
  await quiet(session, doing);
  const turns = session.confirmed.value.turns;
  const expected = joined(turns.flatMap(itemsOf));
  const folded = () => itemsOfUpdates(uri);
  await editor
    .until(() => JSON.stringify(folded()) === JSON.stringify(expected))
    .catch(() =>
      expect({ seed, items: folded(), errors: editor.errors }).toEqual({ seed, items: expected, errors: '' }),
    );
  for (const model of [chat, shown]) {
    await until(
      model.confirmed,
      (state) => JSON.stringify(state?.turns) === JSON.stringify(turns),
      `the turns of ${seed}`,
    );
  }
  chat.dispose();
  session.dispose();
  editor.updates.length = 0;
  await script.disposeSession(uri);
}

async function act(session: SessionHandle, chat: ChatModel, shown: ChatModel): Promise<unknown> {
  const who = Math.floor(random() * 4);
  const what = random();
  const message = MESSAGES[Math.floor(random() * MESSAGES.length)] ?? '';
  const { uri } = session;
  if (what < 0.5) {
    if (who === 0) return chat.submit(`${message} from the page`);
    if (who === 1) return shown.submit(`${message} from the terminal`);
    if (who === 2) return session.queue(`${message} from a script`);
    return editor.prompt(uri, `${message} from editor`);
  }
  if (what < 0.6) return who === 0 ? chat.steer('steered') : session.steer('steered by a script');
  if (what < 0.7) {
    if (who === 0) return chat.cancel();
    if (who === 1) return shown.cancel({ holdQueue: false });
    if (who === 2) return session.cancel();
    return editor.agent.notify('session/cancel', { sessionId: uri });
  }
  if (what < 0.9) return resolveOne(session, random() < 0.5);
  if (what < 0.95) return chat.rename(`Title ${random()}`);
  const loading = loaded.then(() => load(uri));
  loaded = loading.catch(() => {});
  return loading;
}

let loaded: Promise<unknown> = Promise.resolve();

/** The editor forgets what it knew. */
async function load(sessionId: string): Promise<void> {
  await editor.agent.request('session/close', { sessionId });
  editor.updates.length = 0;
  await editor.agent.request('session/load', { sessionId, cwd: test.stateDir, mcpServers: [] });
}

async function resolveOne(session: SessionHandle, approved: boolean): Promise<void> {
  const [confirmation] = session.pendingConfirmations.value;
  const [permission] = session.pendingPermissions.value;
  if (confirmation) await (approved ? confirmation.approve() : confirmation.deny());
  else await permission?.answer({ approved });
}

/** Until nothing runs and nothing waits. */
async function quiet(session: SessionHandle, doing: readonly Promise<unknown>[]): Promise<void> {
  const look = () => void resolveOne(session, true).catch(() => {});
  const resume = () => {
    const { activeTurn, queuedMessages = [] } = session.confirmed.value;
    // After a turn that failed, messages wait for somebody's word.
    if (!activeTurn && queuedMessages.length > 0) session.resumeQueue().catch(() => {});
  };
  const watched = [
    session.pendingConfirmations.subscribe(look),
    session.pendingPermissions.subscribe(look),
    session.confirmed.subscribe(resume),
  ];
  look();
  resume();
  await Promise.all(doing);
  await until(
    session.confirmed,
    ({ activeTurn, queuedMessages, steeringMessage }) => !activeTurn && !queuedMessages?.length && !steeringMessage,
  );
  for (const one of watched) one.dispose();
}

/** A turn as an editor should show it. */
function itemsOf({ userMessage, responseParts, toolCalls }: Turn): string[] {
  const items = [`user ${userMessage.text}`];
  for (const part of responseParts) {
    if (part.kind === 'markdown') items.push(`said ${part.content}`);
    else if (part.kind === 'reasoning') items.push(`thought ${part.content}`);
    else if (part.kind === 'steering') items.push(`user ${part.userMessage.text}`);
    else if (part.kind === 'toolCall') {
      const call = toolCalls.find(({ toolCallId }) => toolCallId === part.toolCallId);
      const isDone = call?.status === 'completed' && call.result.success;
      items.push(`call ${part.toolCallId} ${isDone ? 'completed' : 'failed'}`);
    }
  }
  return items;
}

/** Messages of the editor are its own matter: it shows them itself. What then stands side by side is one text. */
function joined(items: readonly string[]): string[] {
  const all: string[] = [];
  for (const item of items) {
    if (item.startsWith('user ') && item.endsWith('from editor')) continue;
    const [kind = '', last = ''] = [item.split(' ', 1)[0], all.at(-1)];
    if (/^(said|thought)$/.test(kind) && last.startsWith(`${kind} `))
      all[all.length - 1] += item.slice(kind.length + 1);
    else all.push(item);
  }
  return all;
}

function itemsOfUpdates(uri: string): string[] {
  const items: string[] = [];
  for (const { sessionId, update } of editor.updates) if (sessionId === uri) add(items, update);
  return joined(items);
}

function add(items: string[], update: SessionUpdate): void {
  const kinds = { user_message_chunk: 'user', agent_message_chunk: 'said', agent_thought_chunk: 'thought' } as const;
  switch (update.sessionUpdate) {
    case 'user_message_chunk':
    case 'agent_message_chunk':
    case 'agent_thought_chunk':
      items.push(`${kinds[update.sessionUpdate]} ${update.content.type === 'text' ? update.content.text : ''}`);
      return;
    case 'tool_call':
      items.push(`call ${update.toolCallId} ${update.status}`);
      return;
    case 'tool_call_update': {
      const at = items.findIndex((item) => item.startsWith(`call ${update.toolCallId} `));
      if (at >= 0 && update.status) items[at] = `call ${update.toolCallId} ${update.status}`;
    }
  }
}

/** The same numbers for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
