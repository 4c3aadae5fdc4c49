import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AGENT_ICONS, isProviderId } from '@agenthost/protocol/internal';
import * as z from 'zod';
import type { AgentKeySupport } from '../agentLogin.js';
import type { AgentPackage } from '../install/agentPackage.js';
import type { AcpAgentSpec } from './acpAgentSpec.js';

export const AGENTS_FILE = 'agents.json';
const MAX_BYTES = 1024 * 1024;
const MAX_AGENTS = 100;

const words = z.string().min(1).max(1_000);
const packageName = z
  .string()
  .max(214)
  .regex(/^(@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*$/i, 'expected the name of an npm package');

const program = z.array(z.string().max(4_096)).min(1).max(100);

const agentEntry = z
  .strictObject({
    enabled: z.boolean().describe('false hides the agent.'),
    name: words.describe('What clients show.'),
    description: words,
    icon: z.enum(AGENT_ICONS).describe('The shape that clients show beside the name.'),
    command: words.describe('The program: its name on PATH, or its absolute path.'),
    args: z.array(z.string()).max(100),
    npm: z
      .strictObject({
        package: packageName,
        version: z.string().regex(/^\d+\.\d+\.\d+[\w.+-]*$/, 'expected an exact version'),
        scripts: z
          .array(packageName)
          .max(100)
          .optional()
          .describe('The packages whose install scripts are run. All other install scripts are skipped.'),
      })
      .describe('The npm package that "agenthost agents add" installs; its bin of the command\'s name is run.'),
    env: z.record(z.string(), z.string()).describe('Variables that the agent is started with.'),
    passEnv: z
      .array(words)
      .max(100)
      .describe("Names of the host's own variables that the agent gets, e.g. an API key."),
    login: words.describe('What to do when the agent needs a login.'),
    loginProgram: program.describe("The agent's own program that logs in: its name or path, then its arguments."),
    logoutProgram: program.describe("The agent's own program that logs out."),
    statusProgram: program.describe('A program that ends with 0 when somebody is logged in.'),
    deleteProgram: program.describe(
      "The agent's own program that deletes a conversation, whose id follows; not needed where ACP's session/delete does it.",
    ),
    key: z
      .strictObject({
        variable: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'expected the name of a variable'),
        checkUrl: z
          .url()
          .optional()
          .describe('An https address that is asked with the key as a bearer token before the key is kept.'),
      })
      .describe('The host can keep a key for the agent and gives it to the agent in this variable.'),
    authMethod: words.describe("One of the agent's own methods that logs in without a person."),
    mode: words.describe('The mode that sessions start in.'),
    models: z.array(z.strictObject({ id: words, name: words })).max(200),
  })
  .partial();

/** The file `agents.json` in the state root: the user's own agents, and changes to known ones. */
const agentsFileSchema = z.strictObject({
  $schema: z.string().optional(),
  agents: z
    .record(z.string().refine(isProviderId, 'expected lower-case letters, digits and hyphens'), agentEntry)
    .refine((agents) => Object.keys(agents).length <= MAX_AGENTS, `expected at most ${MAX_AGENTS} agents`),
});

/** The JSON Schema of the file, for editors. */
export function agentsJsonSchema(): object {
  return z.toJSONSchema(agentsFileSchema, { io: 'input' });
}

/** An error in the file, with its position. */
export class AgentsFileError extends Error {
  constructor(path: string, line: number | undefined, problem: string) {
    super(`${path}${line === undefined ? '' : `:${line}`}: ${problem}`);
    this.name = 'AgentsFileError';
  }
}

/** The catalogue merged with the user's file. Rejects with an AgentsFileError; a missing file counts as empty. */
export async function readAgentSpecs(
  stateDir: string,
  catalogue: readonly AcpAgentSpec[],
): Promise<readonly AcpAgentSpec[]> {
  const path = join(stateDir, AGENTS_FILE);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return catalogue;
    throw new AgentsFileError(path, undefined, (error as Error).message);
  }
  if (text.length > MAX_BYTES) throw new AgentsFileError(path, undefined, 'it has more than 1 MiB');
  return parseAgentSpecs(text, path, catalogue);
}

export async function parseAgentSpecs(
  text: string,
  path: string,
  catalogue: readonly AcpAgentSpec[],
): Promise<AcpAgentSpec[]> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new AgentsFileError(path, brokenLine(text), (error as Error).message);
  }
  const parsed = agentsFileSchema.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw await problem(issue?.path ?? [], issue?.message ?? 'it is not what it should be');
  }
  const { agents } = parsed.data;
  const specs = new Map(catalogue.map((spec) => [spec.provider, spec]));
  for (const [provider, entry] of Object.entries(agents)) {
    const known = specs.get(provider);
    const command = entry.command ?? known?.command;
    if (command === undefined) throw await problem(['agents', provider], 'expected a "command": the program to run');
    specs.set(provider, specOf(provider, command, entry, known));
  }
  return [...specs.values()].filter(({ provider }) => agents[provider]?.enabled !== false);

  async function problem(at: readonly PropertyKey[], message: string): Promise<AgentsFileError> {
    const name = at.length === 0 ? '' : `${at.map(String).join('.')}: `;
    return new AgentsFileError(path, await lineOf(text, at), `${name}${message}`);
  }
}

function specOf(
  provider: string,
  command: string,
  entry: z.output<typeof agentEntry>,
  known: AcpAgentSpec | undefined,
): AcpAgentSpec {
  const displayName = entry.name ?? known?.displayName ?? provider;
  const npm = entry.npm ? npmOf(entry.npm) : known?.npm;
  const mode = entry.mode ?? known?.mode;
  const authMethod = entry.authMethod ?? known?.authMethod;
  const icon = entry.icon ?? known?.icon;
  const key = entry.key ? keyOf(entry.key) : known?.key;
  const loginProgram = entry.loginProgram ?? known?.loginProgram;
  const logoutProgram = entry.logoutProgram ?? known?.logoutProgram;
  const statusProgram = entry.statusProgram ?? known?.statusProgram;
  const deleteProgram = entry.deleteProgram ?? known?.deleteProgram;
  return {
    provider,
    displayName,
    description: entry.description ?? known?.description ?? `An agent of your own: ${command}`,
    command,
    args: entry.args ?? known?.args ?? [],
    env: { ...known?.env, ...entry.env },
    passEnv: entry.passEnv ?? known?.passEnv ?? [],
    ...(known?.reads && { reads: known.reads }),
    ...(known?.refusesPrograms && { refusesPrograms: true }),
    ...(known?.countsTotals && { countsTotals: true }),
    ...(known?.keepsCopies && { keepsCopies: true }),
    ...(known?.deletesInFolder && { deletesInFolder: true }),
    ...(known?.tidy && { tidy: known.tidy }),
    login: entry.login ?? known?.login ?? `Log in with ${displayName} itself, then try again.`,
    models: entry.models ?? known?.models ?? [],
    ...(icon && { icon }),
    ...(npm && { npm }),
    ...(mode !== undefined && { mode }),
    ...(authMethod !== undefined && { authMethod }),
    ...(loginProgram && { loginProgram }),
    ...(logoutProgram && { logoutProgram }),
    ...(statusProgram && { statusProgram }),
    ...(deleteProgram && { deleteProgram }),
    ...(key && { key }),
  };
}

function keyOf({ variable, checkUrl }: NonNullable<z.output<typeof agentEntry>['key']>): AgentKeySupport {
  return { variable, ...(checkUrl !== undefined && { check: { url: checkUrl, header: 'authorization' } }) };
}

function npmOf({ package: name, version, scripts }: NonNullable<z.output<typeof agentEntry>['npm']>): AgentPackage {
  return { name, version, ...(scripts && { scripts }) };
}

/** The first line after which the text can't become valid JSON; the parser doesn't always report it. */
function brokenLine(text: string): number {
  const lines = text.split('\n');
  let [good, bad] = [0, lines.length];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (isBeginning(lines.slice(0, middle).join('\n'))) good = middle;
    else bad = middle;
  }
  return bad;
}

function isBeginning(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const { message } = error as Error;
    const position = Number(/at position (\d+)/.exec(message)?.[1] ?? Number.NaN);
    return /end of JSON|Unterminated/.test(message) || position >= text.trimEnd().length;
  }
}

/** JSON is YAML, and the YAML parser knows positions. For a missing key, it is the line of the parent. */
async function lineOf(text: string, path: readonly PropertyKey[]): Promise<number | undefined> {
  // Loaded only for a file that is wrong.
  const { LineCounter, parseDocument } = await import('yaml');
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter });
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    const range = typeof node === 'object' && node !== null && 'range' in node ? (node.range as number[]) : undefined;
    if (range?.[0] !== undefined) return lineCounter.linePos(range[0]).line;
  }
  return 1;
}
