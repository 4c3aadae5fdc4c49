// A stub: a real process that speaks the Agent Client Protocol over its standard input and output, with no model behind it.
// What it does is in the prompt (its first word) and in STUB_ variables. It writes JSON itself, so that it can also get it wrong.
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { behaviours } from '../stubAcp/behaviours.ts';
import { compactedBefore } from '../stubAcp/compaction.ts';
import {
  answered,
  current,
  env,
  history,
  isRemembered,
  type Message,
  offer,
  type Params,
  remember,
  say,
  text,
  update,
} from '../stubAcp/conversation.ts';

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

const MODES = env['STUB_MODES']?.split(' ') ?? ['ask', 'free'];

function choices(): object {
  if (env['STUB_CHOICES'] === 'none') return {};
  const models = [
    { id: 'small', name: 'Small' },
    { id: 'large', name: 'Large' },
  ];
  if (env['STUB_CHOICES'] === 'old') {
    const availableModels = models.map(({ id, name }) => ({ modelId: id, name }));
    const availableModes = MODES.map((id) => ({ id, name: `${id.charAt(0).toUpperCase()}${id.slice(1)}` }));
    return {
      models: { currentModelId: current.model, availableModels },
      modes: { currentModeId: current.mode, availableModes },
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
      select('model', current.model, [
        { group: 'all', name: 'All', options: models.map(({ id, name }) => ({ value: id, name })) },
      ]),
      select('mode', current.mode, [
        { value: 'ask', name: 'Ask' },
        { value: 'free', name: 'Free' },
      ]),
    ],
  };
}

async function prompt(params: Params): Promise<object> {
  current.cancelled = new AbortController();
  const blocks = params.prompt;
  const said = blocks[0]?.text ?? '';
  remember(said);
  const [word = '', ...rest] = said.split(' ');
  const behave = Object.hasOwn(behaviours, word) ? behaviours[word] : undefined;
  if (behave) await behave(rest.join(' '), blocks);
  else for (const piece of ['You ', 'said: ', said]) text(piece);
  const stopReason = current.cancelled.signal.aborted ? 'cancelled' : word === 'refuse' ? 'refusal' : 'end_turn';
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
    current.session = randomUUID();
    if (env['STUB_COMMANDS']) offer(env['STUB_COMMANDS'].split(' '));
    current.cwd = params.cwd;
    current.servers = params.mcpServers;
    return { sessionId: current.session, ...choices() };
  },
  'session/load': (params) => {
    current.session = params.sessionId;
    current.cwd = params.cwd;
    if (!isRemembered()) throw new Failure(-32002, 'Resource not found');
    for (const said of history()) text(`HISTORY ${said}`);
    if (env['STUB_COMPACTED']) compactedBefore(env['STUB_COMPACTED']);
    if (env['STUB_LATE_HISTORY']) void lateHistory();
    return choices();
  },
  'session/resume': (params) => {
    current.session = params.sessionId;
    current.cwd = params.cwd;
    current.servers = params.mcpServers;
    if (!isRemembered()) throw new Failure(-32002, 'Resource not found');
    return choices();
  },
  'session/set_config_option': (params) => {
    if (params.configId === 'model') current.model = params.value;
    else current.mode = params.value;
    return choices();
  },
  'session/set_model': (params) => {
    current.model = params.modelId;
    return {};
  },
  'session/set_mode': (params) => {
    current.mode = params.modeId;
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

/** After the host has seen the end of the turn, also on a busy machine: nothing tells an agent that it has. */
async function late(): Promise<void> {
  await delay(1_000);
  text('late');
  update('session_info_update', { title: 'late' });
}

async function take(message: Message): Promise<void> {
  const { id, method, params = {} as Params } = message;
  if (method === 'session/cancel') current.cancelled.abort();
  if (method === undefined) answered(message);
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
