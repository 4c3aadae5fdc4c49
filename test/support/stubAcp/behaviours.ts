import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { compact, compactLater, compactOddly } from './compaction.ts';
import {
  current,
  endWith,
  env,
  form,
  history,
  nextRequest,
  offer,
  permission,
  permissionNested,
  permissionWith,
  say,
  text,
  update,
} from './conversation.ts';
import { editTool, type StubEdit } from './edits.ts';
import { repeatBlock, sayBlocks, thinkBlocks, toolBlocks } from './media.ts';
import { waitSteering } from './steering.ts';
import { hostTerminal, runTool, writeTool } from './tools.ts';

async function endless(): Promise<void> {
  while (!current.cancelled.signal.aborted) {
    text('tick ');
    await delay(20);
  }
}

function setMode(mode: string): void {
  current.mode = mode;
  update('current_mode_update', { currentModeId: mode });
}

let spent = 0;
/** When the host has long read the end of the turn; nothing tells the stub that it has. */
const LATER_MS = 500;

/** Bytes without an end, as fast as they are read. */
async function pour(byte: string): Promise<void> {
  const bytes = byte.repeat(64 * 1024);
  for (;;) {
    if (!process.stdout.write(bytes)) await new Promise((resolve) => process.stdout.once('drain', resolve));
  }
}

/** By the first word of a prompt: what it does with the rest. */
export const behaviours: Record<string, (rest: string, blocks: unknown) => Promise<unknown> | unknown> = {
  think: () => {
    update('agent_thought_chunk', { content: { type: 'text', text: 'Hm.' } });
    text('I thought.');
  },
  tool: (rest) => runTool(rest, true),
  unannounced: (rest) => runTool(rest, false),
  write: writeTool,
  edit: (rest) => editTool(JSON.parse(rest) as StubEdit),
  terminal: hostTerminal,
  endless,
  stubborn: async () => {
    for (;;) {
      text('tick ');
      await delay(20);
    }
  },
  'ask-twice': async () => {
    const call = { toolCallId: randomUUID(), title: 'Two questions', kind: 'other', name: 'twoQuestions' };
    const answers = [
      await permission(call),
      await permission({ ...call, title: 'And outside of the folder?', rawInput: { to: '/etc' } }),
    ];
    update('tool_call_update', { toolCallId: call.toolCallId, status: 'completed' });
    text(answers.join(', '));
  },
  'ask-told': async (rest) => {
    const call = JSON.parse(rest) as object;
    update('tool_call', { ...call, status: 'pending' });
    text(await permission({ ...call, rawInput: {} }));
  },
  'ask-long': async (rest) => text(await permission({ toolCallId: randomUUID(), rawInput: 'a'.repeat(Number(rest)) })),
  'ask-deep': async (rest) => text(await permissionNested(Number(rest))),
  /** Asks with the given schema; says the answer as it came. */
  form: async (rest) => text(JSON.stringify(await form(JSON.parse(rest) as object))),
  /** Asks between two turns. */
  'form-late': (rest) => {
    setTimeout(async () => text(JSON.stringify(await form(JSON.parse(rest) as object))), LATER_MS);
  },
  /** Asks, and takes the question back. */
  'form-withdrawn': async (rest) => {
    const id = nextRequest();
    const asked = form(JSON.parse(rest) as object);
    await delay(LATER_MS);
    say({ method: '$/cancel_request', params: { requestId: id } });
    text(JSON.stringify(await asked));
  },
  'form-crash': (rest) => {
    void form(JSON.parse(rest) as object);
    setTimeout(() => process.exit(3), LATER_MS);
    return new Promise(() => {});
  },
  'ask-with': async (rest) => text(JSON.stringify(await permissionWith(JSON.parse(rest) as object))),
  /** As agents report it: the cost is a total of the session. */
  spend: (rest) => {
    spent += Number(rest);
    update('usage_update', { used: 1_000, size: 200_000, cost: { amount: spent, currency: 'USD' } });
  },
  later: (rest) => void setTimeout(() => text(rest), LATER_MS),
  'die-later': () => {
    setTimeout(() => text('dying'), LATER_MS);
    setTimeout(() => process.exit(3), LATER_MS + 200);
  },
  'ask-and-leave': () => {
    void permission({ toolCallId: randomUUID(), title: 'Asked while leaving' }).then((answer) =>
      update('session_info_update', { title: `answered: ${answer}` }),
    );
  },
  'ask-late': () => {
    setTimeout(async () => {
      const toolCallId = randomUUID();
      const answer = await permission({ toolCallId, title: 'Too late' });
      if (answer === 'yes') update('tool_call_update', { toolCallId, status: 'completed' });
      update('session_info_update', { title: `answered: ${answer}` });
    }, LATER_MS);
  },
  crash: () => {
    process.stderr.write('\u001b[31mboom\u001b[0m: the stub was told to crash\n');
    setTimeout(() => process.exit(3), 20);
    return new Promise(() => {});
  },
  die: () => {
    text('dying later');
    setTimeout(() => process.exit(0), 50);
  },
  silent: () => new Promise(() => {}),
  'silent-tool': () => {
    update('tool_call', { toolCallId: randomUUID(), title: 'Waiting', kind: 'other', status: 'in_progress' });
    return new Promise(() => {});
  },
  'flood-bytes': (rest) => pour(rest === 'newlines' ? '\n' : 'x'),
  flood: async (rest) => {
    const words = 'x'.repeat(64 * 1024);
    for (let sent = 0; sent < Number(rest) * 1024 * 1024 && !current.cancelled.signal.aborted; sent += words.length) {
      text(words);
      if (process.stdout.writableNeedDrain) await new Promise((resolve) => process.stdout.once('drain', resolve));
    }
  },
  'flood-tool': async (rest) => {
    const toolCallId = randomUUID();
    update('tool_call', {
      toolCallId,
      title: 'yes',
      kind: 'execute',
      status: 'in_progress',
      rawInput: { command: 'yes' },
    });
    const data = 'y\n'.repeat(32 * 1024);
    for (let sent = 0; sent < Number(rest) * 1024 * 1024 && !current.cancelled.signal.aborted; sent += data.length) {
      update('tool_call_update', { toolCallId, _meta: { terminal_output: { data } } });
      if (process.stdout.writableNeedDrain) await new Promise((resolve) => process.stdout.once('drain', resolve));
    }
    update('tool_call_update', { toolCallId, status: 'completed', _meta: { terminal_exit: { exit_code: 0 } } });
  },
  'flood-line': (rest) => text('x'.repeat(Number(rest) * 1024 * 1024)),
  'flood-questions': () => Promise.all(Array.from({ length: 500 }, () => permission({ toolCallId: randomUUID() }))),
  garbage: async () => {
    for (let line = 0; !current.cancelled.signal.aborted; line++) {
      process.stdout.write(`this is no message ${line}\n`);
      if (line % 50 === 0) await delay(1);
    }
  },
  odd: () => {
    process.stdout.write('Welcome to the stub!\n[]\n"text"\n{"jsonrpc":"1.0"}\n');
    say({ id: 424_242, result: {} });
    say({ method: '_stub/unknown', params: { x: 1 } });
    update('from_the_future', { x: 1 });
    update('tool_call', { toolCallId: 7 });
    update('tool_call_update', { toolCallId: 'a', kind: 'unheard', status: 'odd', title: 5, content: 'none' });
    say({ method: 'session/update', params: null });
    update('agent_message_chunk', { content: { type: 'text', text: 'still here' } });
  },
  'wait-steering': waitSteering,
  plan: () => {
    const entries = ['completed', 'in_progress', 'pending'].map((status) => ({
      content: `is ${status}`,
      status,
      priority: 'low',
    }));
    update('plan', { entries });
  },
  commands: (rest) => offer(rest === 'many' ? Array.from({ length: 5_000 }, (_, n) => `c${n}`) : rest.split(' ')),
  title: (rest) => update('session_info_update', { title: rest }),
  mode: () => setMode('free'),
  'mode-later': () => void setTimeout(() => setMode('ask'), 50),
  'mode-odd': (rest) => update('current_mode_update', JSON.parse(rest) as object),
  'settings?': () => text(`${current.mode} ${current.effort} ${current.fast}`),
  'settings-odd': (rest) => update('config_option_update', { configOptions: JSON.parse(rest) as object }),
  'settings-many': (rest) => {
    const option = { type: 'select', currentValue: 'x', description: 'd'.repeat(20), options: [] };
    const configOptions = Array.from({ length: Number(rest) }, (_, n) => ({ id: `o${n}`, name: `O${n}`, ...option }));
    update('config_option_update', { configOptions });
  },
  /** Reports other settings, many times. */
  'settings-flood': async (rest) => {
    for (let n = 0; n < Number(rest); n++) {
      const option = { id: 'n', name: 'N', type: 'select', currentValue: `v${n}`, options: [] };
      update('config_option_update', { configOptions: [option] });
      if (n % 100 === 0) await delay(1);
    }
  },
  notice: () => update('notice', { severity: 'warning', title: 'Careful', description: 'Very.' }),
  /** Tells updates, then ends the turn as told. */
  'end-with': (rest) => {
    const told = JSON.parse(rest) as { updates: readonly { readonly sessionUpdate: string }[]; end?: object };
    for (const { sessionUpdate, ...fields } of told.updates) update(sessionUpdate, fields);
    endWith(told.end);
  },
  env: () => text(JSON.stringify(env)),
  model: () => text(`${current.model} ${current.mode}`),
  blocks: (_, blocks) => text(JSON.stringify(blocks)),
  orphan: () => {
    const child = spawn('/bin/sleep', ['600'], { detached: true, stdio: 'ignore' });
    text(String(child.pid));
  },
  recall: () => text(history().join(' | ')),
  'recall-slowly': async () => {
    await delay(500);
    text(history().join(' | '));
  },
  compact,
  'compact-later': compactLater,
  'compact-oddly': compactOddly,
  'say-blocks': sayBlocks,
  'think-blocks': thinkBlocks,
  'tool-blocks': toolBlocks,
  'repeat-block': repeatBlock,
  pid: () => text(String(process.pid)),
  servers: () => text(JSON.stringify(current.servers)),
};
