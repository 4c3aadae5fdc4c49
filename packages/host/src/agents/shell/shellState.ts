import type { SessionFs } from '../../storage/fs/sessionFs.js';

/** What one command passes to the next, and a session to the one that resumes it. */
export interface ShellState {
  readonly cwd: string;
  readonly changes: EnvironmentChanges;
}

/** Relative to the environment that the host passes, so that the host's changes reach a resumed session. */
export interface EnvironmentChanges {
  readonly set: ReadonlyMap<string, string>;
  readonly unset: ReadonlySet<string>;
}

export const NO_CHANGES: EnvironmentChanges = { set: new Map(), unset: new Set() };

/** A larger environment could not be passed to a process, together with its arguments. */
const MAX_ENVIRONMENT_BYTES = 256 * 1024;
const STATE_FILE = 'shell-state.json';

/** Variables that are set for each command, or that belong to the shell. */
const OWN_NAME =
  /^(?:_|PWD|SHLVL|TERM_SESSION_ID|AGENTHOST_AGENT_OF|AGENTHOST_RUN_BY|ATTACHMENT_\d+|(?:BASH_FUNC_)?__agenthost_.*)$/;

/** Reads what `commandScript` saved. Undefined when it is missing or incomplete. */
export function parseSavedState(saved: string, base: ReadonlyMap<string, string>): ShellState | undefined {
  const fields = saved.split('\0');
  if (fields.pop() !== '' || fields.pop() !== 'saved') return undefined;
  const cwd = fields.pop();
  if (!cwd?.startsWith('/')) return undefined;
  const env = new Map<string, string>();
  for (const field of fields) {
    const equals = field.indexOf('=');
    if (equals > 0) env.set(field.slice(0, equals), field.slice(equals + 1));
  }
  const set = new Map([...env].filter(([name, value]) => !OWN_NAME.test(name) && base.get(name) !== value));
  const unset = new Set([...base.keys()].filter((name) => !OWN_NAME.test(name) && !env.has(name)));
  return { cwd, changes: { set, unset } };
}

export function isTooLarge({ set }: EnvironmentChanges): boolean {
  let bytes = 0;
  for (const [name, value] of set) bytes += Buffer.byteLength(name) + Buffer.byteLength(value) + 2;
  return bytes > MAX_ENVIRONMENT_BYTES;
}

export function applyChanges(
  base: ReadonlyMap<string, string>,
  { set, unset }: EnvironmentChanges,
): Map<string, string> {
  return new Map([...[...base].filter(([name]) => !unset.has(name)), ...set]);
}

export interface StoredShellState extends ShellState {
  /** The session that the processes belong to; a copy of the state in another session must not claim them. */
  readonly sessionId: string;
  readonly terminalId: string;
}

export async function storeShellState(fs: SessionFs, state: StoredShellState): Promise<void> {
  if (fs.sessionStatePath === undefined) return;
  const { set, unset } = state.changes;
  const json = JSON.stringify({ ...state, changes: { set: [...set], unset: [...unset] } });
  await fs.mkdir(fs.sessionStatePath, { recursive: true });
  await fs.writeFile(fs.join(fs.sessionStatePath, STATE_FILE), json);
}

/** Undefined when nothing was stored; rejects when the stored state is unreadable or invalid. */
export async function loadShellState(fs: SessionFs): Promise<StoredShellState | undefined> {
  if (fs.sessionStatePath === undefined) return undefined;
  const path = fs.join(fs.sessionStatePath, STATE_FILE);
  if (!(await fs.exists(path))) return undefined;
  const { sessionId, terminalId, cwd, changes }: Record<string, unknown> = Object(JSON.parse(await fs.readFile(path)));
  const { set, unset }: Record<string, unknown> = Object(changes);
  if (!isText(sessionId) || !isText(terminalId) || !isText(cwd) || !cwd.startsWith('/')) throw new Error('not a state');
  if (!Array.isArray(set) || !set.every(isVariable) || !Array.isArray(unset) || !unset.every(isText)) {
    throw new Error('not an environment');
  }
  const kept: EnvironmentChanges = { set: new Map(set), unset: new Set(unset) };
  if (isTooLarge(kept)) throw new Error('the environment is too large');
  return { sessionId, terminalId, cwd, changes: kept };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0');
}

function isVariable(value: unknown): value is [string, string] {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [name, content]: unknown[] = value;
  return isText(name) && isText(content) && name !== '' && !name.includes('=') && !OWN_NAME.test(name);
}
