import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { delimiter, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import type { AcpCase } from './acpCases.js';
import { agentEnv } from './agentCase.js';
import { installAgent, installNative } from './installAgents.js';
import { type NativeVersion, nativeName } from './nativeVersions.js';
import type { NativeWorld } from './nativeWorld.js';

type Provider = AcpCase['provider'];

/** How people use an agent's own command for one message: in a new conversation, and in one that is there. */
interface Command {
  readonly program: string;
  args(message: string, resume: string | undefined): string[];
  /** The message is its standard input. */
  readonly takesInput?: true;
}

const COMMANDS: Readonly<Record<Provider, Command>> = {
  claude: {
    program: 'claude',
    args: (message, id) => ['-p', message, '--allowedTools', 'Bash', ...(id ? ['--resume', id] : [])],
  },
  codex: {
    program: 'codex',
    args: (message, id) => {
      const flags = ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'];
      return id ? [...flags, 'resume', id, message] : [...flags, message];
    },
  },
  gemini: {
    program: 'gemini',
    args: (message, id) => {
      const flags = ['--model', 'gemini-2.5-pro', '--approval-mode', 'yolo'];
      return [...flags, ...(id ? ['--resume', id] : []), '-p', message];
    },
  },
  // Of a message with spaces among its arguments it keeps the quotation marks that it adds.
  opencode: { program: 'opencode', takesInput: true, args: (_, id) => ['run', ...(id ? ['--session', id] : [])] },
  'copilot-acp': {
    program: 'copilot',
    args: (message, id) => ['--no-auto-update', '--allow-all-tools', ...(id ? [`--resume=${id}`] : []), '-p', message],
  },
};

/** Where each agent keeps its conversations, below the home. */
const STORES: Readonly<Record<Provider, readonly string[]>> = {
  claude: ['.claude/projects'],
  codex: ['.codex/sessions'],
  gemini: ['.gemini/tmp'],
  opencode: ['.local/share/opencode'],
  'copilot-acp': ['.copilot/session-state'],
};

/** A version of the agent's own command; without a version that which comes with the catalogue's agent. */
export interface NativeCase {
  readonly provider: Provider;
  readonly name: string;
  readonly version?: NativeVersion;
}

export const nativeCase = (version: NativeVersion): NativeCase => ({
  provider: version.provider,
  name: nativeName(version),
  version,
});

/** Says something with the agent's own command, and returns what it printed. */
export type Terminal = (message: string, resume?: string) => Promise<string>;

export async function terminalOf({ provider, version }: NativeCase, world: NativeWorld): Promise<Terminal> {
  const { program, args, takesInput } = COMMANDS[provider];
  const folder = version ? await installNative(version) : await installAgent(provider);
  // The command is inside of the adapter's package there.
  const isAdapter = provider === 'claude' && !version;
  const bin = await realpath(join(folder, 'node_modules/.bin', isAdapter ? 'claude-agent-acp' : program));
  const isScript = /\.[cm]?js$/.test(bin);
  const base = agentEnv(world.home);
  const env = {
    ...base,
    // Scripts that start themselves again need this Node as well.
    PATH: [dirname(process.execPath), base['PATH']].join(delimiter),
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    ...world.env,
  };
  return async (message, resume) => {
    const words = [...(isScript ? [bin] : []), ...(isAdapter ? ['--cli'] : []), ...args(message, resume)];
    const options = { cwd: world.cwd, env, timeout: 120_000, maxBuffer: 16 * 1024 * 1024 };
    const running = promisify(execFile)(isScript ? process.execPath : bin, words, options);
    running.child.stdin?.end(takesInput ? message : '');
    return (await running).stdout;
  };
}

/** Every file of the store with its content and the time of its last change. */
export async function storeOf({ provider }: NativeCase, home: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const store of STORES[provider]) {
    const entries = await readdir(join(home, store), { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name);
      // Readers of a database that others may write to share this file in memory.
      if (!entry.isFile() || path.endsWith('-shm')) continue;
      const hash = createHash('sha256')
        .update(await readFile(path))
        .digest('hex');
      found.set(relative(home, path), `${hash} ${(await stat(path)).mtimeMs}`);
    }
  }
  return found;
}
