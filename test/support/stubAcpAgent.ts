// A stub: a real process that speaks the Agent Client Protocol over its standard input and output, with no model behind it.
// What it does is in the prompt (its first word) and in STUB_ variables. It writes JSON itself, so that it can also get it wrong.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

/** All that messages to the stub can have; which of it is there depends on the method. */
interface Params {
  readonly sessionId: string;
  readonly cwd: string;
  readonly mcpServers: readonly object[];
  readonly prompt: readonly { readonly text?: string }[];
  readonly configId: string;
  readonly value: string;
  readonly modelId: string;
  readonly modeId: string;
  readonly outcome?: { readonly optionId?: string };
  readonly terminalId: string;
  readonly exitCode: number;
  readonly output: string;
}

/** How a method fails. */
class Failure extends Error {
  readonly code: number;
  readonly data: object | undefined;

  constructor(code: number, message: string, data?: object) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

interface Message {
  id?: number;
  method?: string;
  params?: Params;
  result?: Params;
  error?: object;
}

const env = process.env;
const memory = env['STUB_MEMORY'] ?? join(env['TMPDIR'] ?? '/tmp', 'stub-acp-memory');
const waiting = new Map<number, (message: Message) => void>();
let nextId = 1_000;
let session = '';
let cwd = '';
let servers: readonly object[] = [];
let cancelled = new AbortController();
let model = 'small';
let mode = 'ask';

const say = (message: object) => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = (sessionUpdate: string, fields: object) =>
  say({ method: 'session/update', params: { sessionId: session, update: { sessionUpdate, ...fields } } });
const text = (words: string) => update('agent_message_chunk', { content: { type: 'text', text: words } });

function ask(method: string, params: object): Promise<Params> {
  const id = nextId++;
  say({ id, method, params: { sessionId: session, ...params } });
  return new Promise((resolve) => waiting.set(id, (message) => resolve(message.result ?? ({} as Params))));
}

const OPTIONS = [
  { optionId: 'yes', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'forever', name: 'Always allow', kind: 'allow_always' },
  { optionId: 'no', name: 'Deny', kind: 'reject_once' },
];

async function permission(toolCall: object): Promise<string> {
  const answer = await ask('session/request_permission', { toolCall, options: OPTIONS });
  return answer.outcome?.optionId ?? 'cancelled';
}

async function runTool(command: string, announce: boolean): Promise<void> {
  const call = { toolCallId: randomUUID(), title: command, kind: 'execute', rawInput: { command } };
  if (announce) update('tool_call', { ...call, title: 'Terminal', rawInput: {}, status: 'pending' });
  if (announce) update('tool_call_update', { ...call, status: 'in_progress' });
  const chosen = await permission({ ...call, status: 'pending' });
  if (chosen === 'no' || chosen === 'cancelled') {
    update('tool_call_update', {
      toolCallId: call.toolCallId,
      status: 'failed',
      _meta: { terminal_output: { data: 'no' } },
    });
    text(`Not run (${chosen}).`);
    return;
  }
  const child = spawn('/bin/sh', ['-c', command], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  cancelled.signal.addEventListener('abort', () => child.kill('SIGKILL'));
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (data: string) => {
      update('tool_call_update', { toolCallId: call.toolCallId, _meta: { terminal_output: { data } } });
    });
  }
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
  update('tool_call_update', {
    toolCallId: call.toolCallId,
    status: exitCode === 0 ? 'completed' : 'failed',
    _meta: { terminal_exit: { exit_code: exitCode } },
  });
  text(`Done (${chosen}).`);
}

async function writeTool(path: string): Promise<void> {
  const file = join(cwd, path);
  const oldText = existsSync(file) ? readFileSync(file, 'utf8') : null;
  const newText = `${oldText ?? ''}a line\n`;
  const call = {
    toolCallId: randomUUID(),
    title: 'write',
    kind: 'edit',
    locations: [{ path: file }],
    content: [{ type: 'diff', path: file, oldText, newText }],
  };
  update('tool_call', { ...call, status: 'pending' });
  if ((await permission(call)) !== 'yes') {
    text('Not written.');
    return;
  }
  writeFileSync(file, newText);
  const content = [{ type: 'content', content: { type: 'text', text: 'Wrote it.' } }];
  update('tool_call_update', { toolCallId: call.toolCallId, status: 'completed', content });
  text('Written.');
}

async function hostTerminal(command: string): Promise<void> {
  const { terminalId } = await ask('terminal/create', { command, cwd });
  const toolCallId = randomUUID();
  update('tool_call', {
    toolCallId,
    title: command,
    kind: 'execute',
    status: 'in_progress',
    rawInput: { command },
    content: [{ type: 'terminal', terminalId }],
  });
  const exit = await ask('terminal/wait_for_exit', { terminalId });
  const output = await ask('terminal/output', { terminalId });
  update('tool_call_update', { toolCallId, status: 'completed' });
  await ask('terminal/release', { terminalId });
  text(`It said ${JSON.stringify(output.output)} and ended with ${exit.exitCode}.`);
}

async function endless(): Promise<void> {
  while (!cancelled.signal.aborted) {
    text('tick ');
    await delay(20);
  }
}

const behaviours: Record<string, (rest: string, blocks: unknown) => Promise<unknown> | unknown> = {
  think: () => {
    update('agent_thought_chunk', { content: { type: 'text', text: 'Hm.' } });
    text('I thought.');
  },
  tool: (rest) => runTool(rest, true),
  unannounced: (rest) => runTool(rest, false),
  write: writeTool,
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
    const answers = [await permission(call), await permission({ ...call, title: 'And outside of the folder?' })];
    update('tool_call_update', { toolCallId: call.toolCallId, status: 'completed' });
    text(answers.join(', '));
  },
  'ask-late': () => {
    setTimeout(async () => {
      const answer = await permission({ toolCallId: randomUUID(), title: 'Too late' });
      update('session_info_update', { title: `answered: ${answer}` });
    }, 50);
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
  flood: async (rest) => {
    const words = 'x'.repeat(64 * 1024);
    for (let sent = 0; sent < Number(rest) * 1024 * 1024 && !cancelled.signal.aborted; sent += words.length) {
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
    for (let sent = 0; sent < Number(rest) * 1024 * 1024 && !cancelled.signal.aborted; sent += data.length) {
      update('tool_call_update', { toolCallId, _meta: { terminal_output: { data } } });
      if (process.stdout.writableNeedDrain) await new Promise((resolve) => process.stdout.once('drain', resolve));
    }
    update('tool_call_update', { toolCallId, status: 'completed', _meta: { terminal_exit: { exit_code: 0 } } });
  },
  'flood-line': (rest) => text('x'.repeat(Number(rest) * 1024 * 1024)),
  'flood-questions': () => Promise.all(Array.from({ length: 500 }, () => permission({ toolCallId: randomUUID() }))),
  garbage: async () => {
    for (let line = 0; !cancelled.signal.aborted; line++) {
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
  mode: () => update('current_mode_update', { currentModeId: 'free' }),
  notice: () => update('notice', { severity: 'warning', title: 'Careful', description: 'Very.' }),
  env: () => text(JSON.stringify(env)),
  model: () => text(`${model} ${mode}`),
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
  pid: () => text(String(process.pid)),
  servers: () => text(JSON.stringify(servers)),
};

function offer(names: readonly string[]): void {
  const availableCommands = names.map((name) => ({ name, description: `Does ${name}`, input: { hint: 'anything' } }));
  update('available_commands_update', { availableCommands });
}

function history(): string[] {
  const file = join(memory, `${session}.json`);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as string[]) : [];
}

function choices(): object {
  if (env['STUB_CHOICES'] === 'none') return {};
  const models = [
    { id: 'small', name: 'Small' },
    { id: 'large', name: 'Large' },
  ];
  if (env['STUB_CHOICES'] === 'old') {
    const availableModels = models.map(({ id, name }) => ({ modelId: id, name }));
    const availableModes = [
      { id: 'ask', name: 'Ask' },
      { id: 'free', name: 'Free' },
    ];
    return {
      models: { currentModelId: model, availableModels },
      modes: { currentModeId: mode, availableModes },
    };
  }
  const select = (id: string, currentValue: string, options: object[]) => ({
    id,
    name: id,
    category: id,
    type: 'select',
    currentValue,
    options,
  });
  return {
    configOptions: [
      select('model', model, [
        { group: 'all', name: 'All', options: models.map(({ id, name }) => ({ value: id, name })) },
      ]),
      select('mode', mode, [
        { value: 'ask', name: 'Ask' },
        { value: 'free', name: 'Free' },
      ]),
    ],
  };
}

async function prompt(params: Params): Promise<object> {
  cancelled = new AbortController();
  const blocks = params.prompt;
  const said = blocks[0]?.text ?? '';
  mkdirSync(memory, { recursive: true });
  writeFileSync(join(memory, `${session}.json`), JSON.stringify([...history(), said]));
  const [word = '', ...rest] = said.split(' ');
  const behave = Object.hasOwn(behaviours, word) ? behaviours[word] : undefined;
  if (behave) await behave(rest.join(' '), blocks);
  else for (const piece of ['You ', 'said: ', said]) text(piece);
  const stopReason = cancelled.signal.aborted ? 'cancelled' : word === 'refuse' ? 'refusal' : 'end_turn';
  return { stopReason, usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } };
}

const methods: Record<string, (params: Params) => Promise<object> | object> = {
  initialize: () => ({
    protocolVersion: Number(env['STUB_VERSION'] ?? 1),
    agentInfo: { name: 'stub', version: '0.0.0' },
    authMethods: [{ id: 'key', name: 'A key', description: 'Set STUB_KEY' }],
    agentCapabilities: {
      loadSession: env['STUB_RESUME'] !== 'none',
      promptCapabilities: env['STUB_PLAIN'] ? {} : { image: true, embeddedContext: true },
      ...(env['STUB_MCP'] && { mcpCapabilities: { http: true } }),
      ...(env['STUB_RESUME'] !== 'load' && env['STUB_RESUME'] !== 'none' && { sessionCapabilities: { resume: {} } }),
    },
  }),
  'session/new': (params) => {
    if (env['STUB_START'] === 'auth') throw new Failure(-32000, 'Authentication required');
    session = randomUUID();
    if (env['STUB_COMMANDS']) offer(env['STUB_COMMANDS'].split(' '));
    cwd = params.cwd;
    servers = params.mcpServers;
    return { sessionId: session, ...choices() };
  },
  'session/load': (params) => {
    session = params.sessionId;
    cwd = params.cwd;
    if (!existsSync(join(memory, `${session}.json`))) throw new Failure(-32002, 'Resource not found');
    for (const said of history()) text(`HISTORY ${said}`);
    if (env['STUB_LATE_HISTORY']) void lateHistory();
    return choices();
  },
  'session/resume': (params) => {
    session = params.sessionId;
    cwd = params.cwd;
    servers = params.mcpServers;
    if (!existsSync(join(memory, `${session}.json`))) throw new Failure(-32002, 'Resource not found');
    return choices();
  },
  'session/set_config_option': (params) => {
    if (params.configId === 'model') model = params.value;
    else mode = params.value;
    return choices();
  },
  'session/set_model': (params) => {
    model = params.modelId;
    return {};
  },
  'session/set_mode': (params) => {
    mode = params.modeId;
    return {};
  },
  'session/prompt': (params) => {
    const said = params.prompt[0]?.text ?? '';
    if (said === 'error') throw new Failure(-32603, 'Internal error', { details: 'the stub was told to fail' });
    if (said === 'auth') throw new Failure(-32000, 'Authentication required');
    return prompt(params);
  },
};

async function lateHistory(): Promise<void> {
  for (const said of history()) {
    await delay(50);
    text(`HISTORY ${said}`);
  }
}

async function late(): Promise<void> {
  await delay(20);
  text('late');
  update('session_info_update', { title: 'late' });
}

async function take(message: Message): Promise<void> {
  const { id, method, params = {} as Params } = message;
  if (method === 'session/cancel') cancelled.abort();
  if (method === undefined) waiting.get(id ?? -1)?.(message);
  if (id === undefined || method === undefined) return;
  try {
    const handle = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (!handle) throw new Failure(-32601, `Method not found: ${method}`);
    say({ id, result: await handle(params) });
    if (method === 'session/prompt' && env['STUB_LATE']) await late();
  } catch (error) {
    const { code, message, data } = error as Failure;
    say({ id, error: { code, message, data } });
  }
}

const start = env['STUB_START'];
if (start === 'crash') {
  process.stderr.write('the stub can not start: no licence\n');
  process.exit(7);
}
if (env['STUB_IGNORE_EOF']) {
  setInterval(() => {}, 1_000);
  process.stdout.on('error', () => {});
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
}
if (start === 'garbage') setInterval(() => process.stdout.write('Hello! I am a web server.\n'.repeat(20)), 5);
else if (start === 'silent') setInterval(() => {}, 1_000);
else createInterface({ input: process.stdin }).on('line', (line) => void take(JSON.parse(line) as Message));
