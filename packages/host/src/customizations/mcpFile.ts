import { resolve } from 'node:path';
import { errorMessage, isSafeKey } from '@agenthost/protocol/internal';
import type { McpServer } from '../agents/agentCustomization.js';
import { inlineCode } from '../agents/events/markdownCode.js';
import { parseJsonWithComments } from './jsonWithComments.js';

export interface NamedServer {
  readonly name: string;
  readonly server?: McpServer;
  /** What it would run, or where it would connect to, as written in the file. */
  readonly runs: string;
  readonly problem?: string;
}

export interface ServerContext {
  /** Relative folders start here; it is also `${workspaceFolder}`. */
  readonly folder: string;
  /** The variables for `${NAME}`. */
  readonly env: Readonly<Record<string, string>>;
}

type Fields = Readonly<Record<string, unknown>>;

const MAX_NAME = 64;
/** The length of a command in a question. It is longer than elsewhere, because the important part may be at the end. */
const MAX_SHOWN = 400;

/** The servers in a file, under `mcpServers` or `servers`. Throws when it is no such file. */
export function parseMcpFile(text: string, context: ServerContext): NamedServer[] {
  const file = fieldsOf(parseJsonWithComments(text), 'The file');
  const servers = file['mcpServers'] ?? file['servers'];
  if (servers === undefined) return [];
  return Object.entries(fieldsOf(servers, 'mcpServers')).map(([name, value]) => namedServer(name, value, context));
}

function namedServer(name: string, value: unknown, context: ServerContext): NamedServer {
  const runs = describe(value);
  try {
    if (!isSafeKey(name) || name.length > MAX_NAME || !/^[\p{L}\p{N}_][^\p{C}]*$/u.test(name)) {
      throw new Error(`A name has 1 to ${MAX_NAME} characters and begins with a letter or a digit.`);
    }
    return { name, runs, server: serverOf(fieldsOf(value, 'It'), context) };
  } catch (error) {
    return { name, runs, problem: errorMessage(error) };
  }
}

function serverOf(fields: Fields, context: ServerContext): McpServer {
  const { type, command, url, args = [], cwd } = fields;
  const text = (value: unknown, what: string) => expanded(mustBeText(value, what), context);
  if (command !== undefined) {
    if (!Array.isArray(args)) throw new Error('args must be a list of texts.');
    return {
      type: 'stdio',
      command: text(command, 'command'),
      args: args.map((arg, index) => text(arg, `args[${index}]`)),
      env: texts(fields['env'], 'env', context),
      ...(cwd !== undefined && { cwd: resolve(context.folder, text(cwd, 'cwd')) }),
    };
  }
  if (url === undefined) throw new Error('It has neither a command nor a url.');
  const address = text(url, 'url');
  const protocol = URL.canParse(address) ? new URL(address).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:') throw new Error('url must be an address of http: or https:.');
  return { type: type === 'sse' ? 'sse' : 'http', url: address, headers: texts(fields['headers'], 'headers', context) };
}

/** Before variables are replaced: the user is asked about the text in the file. */
function describe(value: unknown): string {
  const { command, args, url } = typeof value === 'object' && value !== null ? (value as Fields) : {};
  if (typeof command !== 'string')
    return typeof url === 'string' ? `connects to ${inlineCode(url, MAX_SHOWN)}` : 'is not complete';
  const words = Array.isArray(args) ? args.filter((arg) => typeof arg === 'string') : [];
  return `runs ${inlineCode([command, ...words].join(' '), MAX_SHOWN)}`;
}

const VARIABLE = /\$\{([^}]*)\}/g;

function expanded(text: string, { folder, env }: ServerContext): string {
  return text.replace(VARIABLE, (whole, inner: string) => {
    if (inner === 'workspaceFolder') return folder;
    const [, name, fallback] = /^(?:env:)?([A-Za-z_]\w*)(?::-(.*))?$/s.exec(inner) ?? [];
    if (name === undefined) throw new Error(`${whole} is nothing that this host knows: write the value itself.`);
    const value = Object.hasOwn(env, name) ? env[name] : fallback;
    if (value === undefined) throw new Error(`${whole} is not in the environment of agents: write the value itself.`);
    return value;
  });
}

function texts(value: unknown, what: string, context: ServerContext): Record<string, string> {
  if (value === undefined) return {};
  const entries = Object.entries(fieldsOf(value, what)).map(([key, entry]) => {
    if (!isSafeKey(key)) throw new Error(`${what} has a name that can't be used.`);
    // Real files have numbers and booleans there.
    const isPlain = typeof entry === 'number' || typeof entry === 'boolean';
    return [key, expanded(isPlain ? String(entry) : mustBeText(entry, `${what}.${key}`), context)] as const;
  });
  return Object.fromEntries(entries);
}

function mustBeText(value: unknown, what: string): string {
  if (typeof value === 'string' && value !== '' && !value.includes('\0')) return value;
  if (value === '' && what !== 'command' && what !== 'url') return '';
  throw new Error(`${what} must be a text.`);
}

function fieldsOf(value: unknown, what: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new Error(`${what} must be an object.`);
}
