import { execFile } from 'node:child_process';
import { oneLine } from '../events/boundedText.js';
import { emptyFolder } from '../login/emptyFolder.js';
import { nativeStores } from '../native/nativeStores.js';
import type { AcpAgentSpec } from './acpAgentSpec.js';
import { acpFailure } from './acpFailure.js';
import type { Program } from './acpProcess.js';
import { AcpWire } from './acpWire.js';
import { Terminals } from './terminals.js';
import type { MessageLimits } from './turn/messageStream.js';

export interface ConversationDeletion {
  readonly spec: AcpAgentSpec;
  readonly program: Program;
  /** The spec's own program that deletes conversations, where it has one. */
  readonly deleteProgram: Program | undefined;
  readonly nativeSessionId: string;
  /** The session's folder, where programs may run in it. */
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly stateDir: string;
  readonly limits: MessageLimits;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const MAX_SAID = 300;
/** It comes from the agent, and must not be an option of its program. */
const SAFE_ID = /^\w[\w.-]{0,199}$/;

/** Has the agent delete a conversation in its own store, and looks whether it is gone. Rejects with why it is kept. */
export async function deleteConversation(deletion: ConversationDeletion): Promise<void> {
  const { spec, deleteProgram, nativeSessionId, env, stateDir } = deletion;
  if (!spec.deletesInFolder) {
    const folder = await emptyFolder(stateDir);
    try {
      await (deleteProgram ? runProgram(deletion, deleteProgram, folder.path) : ask(deletion, folder.path));
    } finally {
      await folder.remove();
    }
  } else {
    const { cwd } = deletion;
    if (cwd === undefined) {
      throw new Error(`${spec.displayName} deletes it in the session's folder only, and that folder is not trusted.`);
    }
    await (deleteProgram ? runProgram(deletion, deleteProgram, cwd) : ask(deletion, cwd));
  }
  const store = nativeStores(env).find(({ provider }) => provider === spec.provider);
  if (await store?.find(nativeSessionId)) {
    throw new Error(`${spec.displayName} was told to delete it, and has not.`);
  }
}

async function ask({ spec, nativeSessionId, ...options }: ConversationDeletion, cwd: string): Promise<void> {
  const { env, stateDir, signal, timeoutMs } = options;
  const late = `${spec.displayName} did not delete the conversation`;
  const terminals = new Terminals({ cwd, env, stateDir });
  const wire = await AcpWire.start({
    ...options,
    spec,
    cwd,
    terminals,
    startTimeoutMs: timeoutMs,
    onUpdate: () => {},
    onPermission: async () => ({ outcome: { outcome: 'cancelled' } }),
    onForm: async () => ({ action: 'cancel' }),
  });
  const stop = () => void wire.dispose();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const { agentCapabilities } = await wire.initialize();
    if (!agentCapabilities?.sessionCapabilities?.delete) {
      throw new Error(`${spec.displayName} has no way to delete a conversation.`);
    }
    await wire.request('session/delete', { sessionId: nativeSessionId }, late, timeoutMs).catch((error: unknown) => {
      throw acpFailure(error, spec);
    });
  } finally {
    signal.removeEventListener('abort', stop);
    await wire.dispose();
  }
}

function runProgram(
  { spec, nativeSessionId, env, timeoutMs, signal }: ConversationDeletion,
  { path, args }: Program,
  cwd: string,
): Promise<void> {
  if (!SAFE_ID.test(nativeSessionId)) throw new Error(`${spec.displayName} gave it an id that no program can be told.`);
  const options = { env, cwd, timeout: timeoutMs, killSignal: 'SIGKILL', signal } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(path, [...args, nativeSessionId], options, (error, stdout, stderr) => {
      if (!error) return resolve();
      const said = oneLine(stderr.trim() || stdout.trim() || error.message, MAX_SAID);
      reject(new Error(`${spec.displayName} could not delete it: ${said}`));
    });
    child.stdin?.end();
  });
}
