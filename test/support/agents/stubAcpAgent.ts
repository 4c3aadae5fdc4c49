// A stub: a real process that speaks the Agent Client Protocol over its standard input and output, with no model behind it.
// What it does is in the prompt (its first word) and in STUB_ variables. It writes JSON itself, so that it can also get it wrong.
import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { behaviours } from '../stubAcp/behaviours.ts';
import { compactedBefore } from '../stubAcp/compaction.ts';
import {
  answered,
  copyMemory,
  current,
  env,
  forget,
  held,
  history,
  isRemembered,
  type Message,
  offer,
  type Params,
  remember,
  say,
  takeEnd,
  text,
  update,
} from '../stubAcp/conversation.ts';
import { steer } from '../stubAcp/steering.ts';

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

/** With STUB_LOGIN it needs that file, or a key. */
function mustBeLoggedIn(): void {
  const file = env['STUB_LOGIN'];
  if (file !== undefined && !existsSync(file) && !env['STUB_KEY']) throw new Failure(-32000, 'Authentication required');
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
      ...(env['STUB_SETTINGS'] ? settings() : []),
    ],
  };
}

/** More config options. The stub refuses the effort `refused`, never answers for `never`, and takes `low` for `other`. */
function settings(): object[] {
  const efforts = ['low', 'high', 'refused', 'never', 'other'].map((value) => ({ value, name: value.toUpperCase() }));
  return [
    {
      id: 'effort',
      name: 'Effort',
      category: 'thought_level',
      type: 'select',
      currentValue: current.effort,
      options: efforts,
    },
    { id: 'fast', name: 'Fast', description: 'Costs more.', type: 'boolean', currentValue: current.fast },
  ];
}

function setOption({ configId, value }: Params): Promise<object> | object {
  if (value === 'never') return new Promise<never>(() => {});
  if (value === 'refused') throw new Failure(-32602, 'Not with this model');
  if (configId === 'fast') current.fast = value === true;
  else if (configId === 'model') current.model = String(value);
  else if (configId === 'effort') current.effort = value === 'other' ? 'low' : String(value);
  else current.mode = String(value);
  return choices();
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
  return { stopReason, usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 }, ...takeEnd() };
}

const methods: Record<string, (params: Params) => Promise<object> | object> = {
  initialize: () => ({
    protocolVersion: Number(env['STUB_VERSION'] ?? 1),
    agentInfo: { name: 'stub', version: '0.0.0' },
    ...(env['STUB_STEERING'] && { _meta: { steering: { supported: true } } }),
    authMethods: [
      { id: 'key', name: 'A key', description: 'Set STUB_KEY' },
      ...(env['STUB_TERMINAL_LOGIN'] ? [{ id: 'terminal', name: 'Log in', type: 'terminal', args: ['--log-in'] }] : []),
    ],
    agentCapabilities: {
      loadSession: env['STUB_RESUME'] !== 'none',
      promptCapabilities: env['STUB_PLAIN'] ? {} : { image: true, embeddedContext: true },
      ...(env['STUB_MCP'] && { mcpCapabilities: { http: true } }),
      ...(env['STUB_RESUME'] !== 'load' &&
        env['STUB_RESUME'] !== 'none' && {
          sessionCapabilities: {
            resume: {},
            ...(env['STUB_FORK'] && { fork: {} }),
            ...(env['STUB_DELETE'] && { delete: {} }),
          },
        }),
    },
  }),
  'session/new': (params) => {
    if (env['STUB_START'] === 'auth') throw new Failure(-32000, 'Authentication required');
    mustBeLoggedIn();
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
  'session/fork': (params) => {
    if (env['STUB_FORK'] === 'fails') throw new Failure(-32603, 'no room for a copy');
    const sessionId = randomUUID();
    copyMemory(params.sessionId, sessionId);
    // As opencode does.
    const content = { type: 'text', text: 'HISTORY of the copy' };
    const update = { sessionUpdate: 'agent_message_chunk', content };
    say({ method: 'session/update', params: { sessionId, update } });
    return { sessionId, ...choices() };
  },
  'session/delete': async (params) => {
    if (env['STUB_DELETE'] === 'held') await held();
    if (env['STUB_DELETE'] === 'fails') throw new Failure(-32603, 'the store is locked');
    if (env['STUB_DELETE'] === 'never') return new Promise<never>(() => {});
    if (env['STUB_DELETE'] === 'crash') process.exit(3);
    forget(params.sessionId);
    return {};
  },
  ...(env['STUB_STEERING'] && { '_session/steering': steer }),
  'session/set_config_option': setOption,
  'session/set_model': (params) => {
    current.model = params.modelId;
    return {};
  },
  'session/set_mode': (params) => {
    if (params.modeId === 'refused') throw new Failure(-32602, 'Not with this model');
    current.mode = params.modeId;
    return {};
  },
  'session/prompt': (params) => {
    const said = params.prompt[0]?.text ?? '';
    if (said === 'error') throw new Failure(-32603, 'Internal error', { details: 'the stub was told to fail' });
    if (said === 'auth') throw new Failure(-32000, 'Authentication required');
    mustBeLoggedIn();
    if (said === 'key') {
      text(`The key is ${env['STUB_KEY'] ?? 'missing'}`);
      return { stopReason: 'end_turn' };
    }
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

if (process.argv.includes('--log-in')) {
  process.stdout.write('Logged in by the agent itself.\n');
  writeFileSync(env['STUB_LOGIN'] ?? '', '');
  process.exit(0);
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
