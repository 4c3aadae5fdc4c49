import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AcpAgentSpec } from '../../../packages/host/src/agents/acp/acpAgentSpec.js';
import { CATALOGUE } from '../../../packages/host/src/agents/acp/catalogue.js';
import type { ModelToolCall } from '../../support/modelServer/modelReply.js';

/** How a real agent is pointed at the scripted model, and which of its tools the model calls. */
export interface AcpCase {
  readonly provider: 'claude' | 'codex' | 'gemini' | 'opencode' | 'copilot-acp';
  /** Writes its configuration into a fresh home; returns what its environment needs beside that. */
  prepare(home: string, modelUrl: string): Promise<Record<string, string>>;
  readonly changes?: Partial<AcpAgentSpec>;
  shell(command: string): ModelToolCall;
  write(path: string, content: string): ModelToolCall;
  readonly hasReasoning: boolean;
  /** It writes in the session's folder without asking, in a sandbox of its own. */
  readonly writesInFolder?: true;
  /** It names a session's file after the minute, and resuming within the first minute overwrites it. */
  readonly forgetsTheMinute?: boolean;
}

/** For those that forget: no event tells that a minute is over. */
export const nextMinute = () => delay(61_000 - (Date.now() % 60_000));

export const ACP_CASES: readonly AcpCase[] = [
  {
    provider: 'claude',
    prepare: async (home, url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'sk-ant-dummy',
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
    shell: (command) => ({ name: 'Bash', input: { command, description: 'a test' } }),
    write: (path, content) => ({ name: 'Write', input: { file_path: path, content } }),
    hasReasoning: true,
  },
  {
    provider: 'codex',
    prepare: async (home, url) => {
      const config = [
        'model = "scripted-model"',
        'model_provider = "loop"',
        '[model_providers.loop]',
        'name = "loop"',
        `base_url = "${url}/v1"`,
        'wire_api = "responses"',
        'env_key = "LOOP_KEY"',
        'request_max_retries = 0',
        'stream_max_retries = 0',
      ];
      await write(join(home, '.codex/config.toml'), `${config.join('\n')}\n`);
      return { CODEX_HOME: join(home, '.codex'), LOOP_KEY: 'x' };
    },
    shell: (cmd) => ({
      name: 'exec_command',
      input: { cmd, sandbox_permissions: 'require_escalated', justification: 'a test' },
    }),
    // Patches go through the shell for models that it does not know, and are taken out of there.
    write: (path, content) => {
      const patch = `*** Begin Patch\n*** Add File: ${path}\n${content.replace(/^(?=.)/gm, '+')}*** End Patch`;
      return { name: 'exec_command', input: { cmd: `apply_patch <<'EOF'\n${patch}\nEOF` } };
    },
    hasReasoning: true,
    writesInFolder: true,
  },
  {
    provider: 'gemini',
    prepare: async (home, url) => {
      await write(
        join(home, '.gemini/settings.json'),
        JSON.stringify({ security: { auth: { selectedType: 'gemini-api-key' } } }),
      );
      return { GEMINI_API_KEY: 'x', GOOGLE_GEMINI_BASE_URL: url };
    },
    // Its default asks another model which model to use.
    changes: { args: ['--acp', '--model', 'gemini-2.5-pro'] },
    shell: (command) => ({ name: 'run_shell_command', input: { command, description: 'a test' } }),
    write: (path, content) => ({ name: 'write_file', input: { file_path: path, content } }),
    hasReasoning: true,
    forgetsTheMinute: true,
  },
  {
    provider: 'opencode',
    prepare: async (home, url) => {
      const model = 'loop/scripted-model';
      const loop = {
        npm: '@ai-sdk/openai-compatible',
        name: 'Loop',
        options: { baseURL: `${url}/v1`, apiKey: 'x' },
        models: {
          'scripted-model': {
            name: 'Scripted',
            reasoning: true,
            attachment: true,
            modalities: { input: ['text', 'image'], output: ['text'] },
          },
        },
      };
      await write(
        join(home, '.config/opencode/opencode.json'),
        JSON.stringify({ provider: { loop }, model, small_model: model }),
      );
      return { OPENCODE_DISABLE_MODELS_FETCH: '1' };
    },
    shell: (command) => ({ name: 'bash', input: { command, description: 'a test' } }),
    write: (path, content) => ({ name: 'write', input: { filePath: path, content } }),
    hasReasoning: true,
  },
  {
    provider: 'copilot-acp',
    prepare: async (_home, url) => ({
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: 'x',
      COPILOT_MODEL: 'scripted-model',
    }),
    shell: (command) => ({ name: 'bash', input: { command, description: 'a test' } }),
    write: (path, content) => ({ name: 'create', input: { path, file_text: content } }),
    hasReasoning: true,
  },
];

export function specOf({ provider, changes }: AcpCase): AcpAgentSpec {
  const spec = CATALOGUE.find((each) => each.provider === provider);
  if (!spec) throw new Error(`${provider} is not in the catalogue`);
  return { ...spec, ...changes };
}

async function write(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}
