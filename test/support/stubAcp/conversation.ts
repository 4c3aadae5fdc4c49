import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** All that messages to the stub can have; which of it is there depends on the method. */
export interface Params {
  readonly sessionId: string;
  readonly cwd: string;
  readonly mcpServers: readonly object[];
  readonly prompt: readonly { readonly text?: string }[];
  readonly configId: string;
  readonly value: string | boolean;
  readonly modelId: string;
  readonly modeId: string;
  readonly outcome?: { readonly optionId?: string | number };
  readonly terminalId: string;
  readonly exitCode: number;
  readonly output: string;
}

export interface Message {
  id?: number;
  method?: string;
  params?: Params;
  result?: Params;
  error?: object;
}

export const env = process.env;
/** Where it keeps what was said to it, a file a session. */
const memory = env['STUB_MEMORY'] ?? join(env['TMPDIR'] ?? '/tmp', 'stub-acp-memory');
const waiting = new Map<number, (message: Message) => void>();
let nextId = 1_000;

/** The one session that the process has, and what was chosen for it. */
export const current = {
  session: '',
  cwd: '',
  servers: [] as readonly object[],
  model: 'small',
  mode: 'ask',
  effort: 'low',
  fast: false,
  cancelled: new AbortController(),
};

export const say = (message: object) =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
export const update = (sessionUpdate: string, fields: object) =>
  say({ method: 'session/update', params: { sessionId: current.session, update: { sessionUpdate, ...fields } } });
export const text = (words: string) => update('agent_message_chunk', { content: { type: 'text', text: words } });

export function ask(method: string, params: object): Promise<Params> {
  const id = nextId++;
  say({ id, method, params: { sessionId: current.session, ...params } });
  return new Promise((resolve) => waiting.set(id, (message) => resolve(message.result ?? ({} as Params))));
}

/** Asks with a value that is nested so deeply that it can't be made here. */
export async function permissionNested(depth: number): Promise<string> {
  const id = nextId++;
  const params = { sessionId: current.session, toolCall: { toolCallId: 'deep', rawInput: '@' }, options: OPTIONS };
  const line = JSON.stringify({ jsonrpc: '2.0', id, method: 'session/request_permission', params });
  process.stdout.write(`${line.replace('"@"', `${'['.repeat(depth)}1${']'.repeat(depth)}`)}\n`);
  const answer = await new Promise<Message>((resolve) => waiting.set(id, resolve));
  return String(answer.result?.outcome?.optionId ?? 'cancelled');
}

const OPTIONS = [
  { optionId: 'yes', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'forever', name: 'Always allow', kind: 'allow_always' },
  { optionId: 'no', name: 'Deny', kind: 'reject_once' },
];

/** The answer to a form, as it came. */
export function form(requestedSchema: object): Promise<Params> {
  return ask('elicitation/create', { mode: 'form', message: 'Tell me\nIt is short.', requestedSchema });
}

/** The id of the next request. */
export const nextRequest = () => nextId;

export async function permission(toolCall: object): Promise<string> {
  return String(await permissionWith({ toolCall, options: OPTIONS }));
}

/** The option that was selected, as it came; `cancelled` without one. */
export async function permissionWith(params: object): Promise<string | number> {
  const answer = await ask('session/request_permission', params);
  return answer.outcome?.optionId ?? (answer.outcome ? 'cancelled' : 'refused');
}

let end: object | undefined;

/** Fields of the answer that ends the running turn. */
export function endWith(fields: object | undefined): void {
  end = fields;
}

export function takeEnd(): object | undefined {
  const fields = end;
  end = undefined;
  return fields;
}

export function offer(names: readonly string[]): void {
  const availableCommands = names.map((name) => ({ name, description: `Does ${name}`, input: { hint: 'anything' } }));
  update('available_commands_update', { availableCommands });
}

/** The answer to a question of the stub's own. */
export function answered(message: Message): void {
  waiting.get(message.id ?? -1)?.(message);
}

const historyFile = () => join(memory, `${current.session}.json`);

/** Whether the session was ever said anything to: else it can't be resumed. */
export const isRemembered = () => existsSync(historyFile());

export function history(): string[] {
  return isRemembered() ? (JSON.parse(readFileSync(historyFile(), 'utf8')) as string[]) : [];
}

export function remember(said: string): void {
  mkdirSync(memory, { recursive: true });
  writeFileSync(historyFile(), JSON.stringify([...history(), said]));
}

/** Until somebody removes the file. */
export async function held(): Promise<void> {
  const file = join(memory, 'held');
  writeFileSync(file, '');
  while (existsSync(file)) await delay(20);
}

export function forget(session: string): void {
  rmSync(join(memory, `${session}.json`), { force: true });
}

export function copyMemory(from: string, to: string): void {
  copyFileSync(join(memory, `${from}.json`), join(memory, `${to}.json`));
}
