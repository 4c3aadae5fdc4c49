// Codex: ~/.codex/sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl
import { basename, join } from 'node:path';
import { JsonlStore, type LineReader } from './jsonlStore.js';
import { blockTexts, type Fields, fieldsOf, listOf, type NativeEntry, textOf } from './nativeEntry.js';
import type { NativeStore } from './nativeStore.js';

const NAME = /^rollout-[\dT-]+-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/;
/** What Codex itself says in the name of the user: a whole element, or the instructions of the project. */
const INJECTED =
  /^\s*(?:<([\w-]+)>[\s\S]*<\/\1>\s*$|# AGENTS\.md instructions|<user_instructions>|<environment_context>)/;
const EXIT_CODE = /^(?:Process exited with code|Exit code:) (-?\d{1,5})$/m;

export function codexStore(home: string): NativeStore {
  return new JsonlStore({
    provider: 'codex',
    agentName: 'Codex',
    root: join(home, '.codex', 'sessions'),
    levels: [[/^\d{4}$/, /^\d\d$/, /^\d\d$/, NAME]],
    nativeIdOf: (path) => NAME.exec(basename(path))?.[1],
    command: (id) => `codex resume ${id}`,
    reader: () => new CodexReader(),
  });
}

class CodexReader implements LineReader {
  folder: string | undefined;
  isHidden = false;

  *take(value: unknown): Generator<NativeEntry> {
    const line = fieldsOf(value);
    const { timestamp: at, type } = line;
    const payload = fieldsOf(line['payload']);
    if (type === 'session_meta') this.#learn(payload);
    else if (type === 'turn_context') this.folder ??= textOf(payload['cwd']);
    else if (type === 'compacted') yield { kind: 'notice', text: 'Codex summarised the conversation until here.', at };
    else if (type === 'event_msg') yield* event(payload, at);
    // Files of 2025 have the items themselves.
    else yield* item(type === 'response_item' ? payload : line, at);
  }

  #learn(meta: Fields): void {
    this.folder ??= textOf(meta['cwd']);
    // Sub-agents have files of their own, and so have the sessions of this host.
    const isSub = typeof meta['source'] === 'object' && meta['source'] !== null && 'subagent' in meta['source'];
    if (isSub) this.isHidden = true;
  }
}

function* event(payload: Fields, at: unknown): Generator<NativeEntry> {
  const { type } = payload;
  if (type === 'task_complete' || type === 'turn_complete') yield { kind: 'end', state: 'complete', at };
  else if (type === 'turn_aborted') yield { kind: 'end', state: 'cancelled', at };
  else if (type === 'error') yield { kind: 'end', state: 'error', message: textOf(payload['message']) ?? '', at };
}

function* item(payload: Fields, at: unknown): Generator<NativeEntry> {
  const { type, call_id: id } = payload;
  if (type === 'message') {
    const text = blockTexts(payload['content']);
    if (payload['role'] === 'assistant' && text !== '') yield { kind: 'text', text, at };
    if (payload['role'] === 'user') yield* userMessage(payload, text, at);
  } else if (type === 'reasoning') {
    const text = blockTexts(payload['summary']) || blockTexts(payload['content']);
    if (text !== '') yield { kind: 'reasoning', text, at };
  } else if (type === 'function_call' || type === 'custom_tool_call') {
    const name = textOf(payload['name']) ?? '';
    yield { kind: 'call', id, name, input: inputOf(payload['arguments'] ?? payload['input']), at };
  } else if (type === 'local_shell_call') {
    yield { kind: 'call', id, name: 'local_shell', input: payload['action'], at };
  } else if (type === 'web_search_call') {
    const query = fieldsOf(payload['action'])['query'] ?? payload['query'];
    yield { kind: 'call', id: payload['id'], name: 'web_search', input: query ?? '', at };
    yield { kind: 'result', id: payload['id'], output: '', at };
  } else if (type === 'function_call_output' || type === 'custom_tool_call_output') {
    yield { kind: 'result', id, ...outcome(payload['output']), at };
  }
}

function* userMessage(payload: Fields, text: string, at: unknown): Generator<NativeEntry> {
  const images = listOf(payload['content']).filter((block) => fieldsOf(block)['type'] === 'input_image').length;
  if ((text === '' && images === 0) || INJECTED.test(text.slice(0, 200_000))) return;
  const shown = images === 0 ? '' : `${text === '' ? '' : '\n'}[${images === 1 ? 'an image' : `${images} images`}]`;
  yield { kind: 'user', text: text + shown, id: payload['id'], at };
}

/** Arguments are JSON in a text. */
function inputOf(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? '';
  try {
    return value.length > 1_000_000 ? value : JSON.parse(value);
  } catch {
    return value;
  }
}

function outcome(value: unknown): { readonly output: string; readonly failed?: boolean; readonly exitCode?: number } {
  const inner = fieldsOf(typeof value === 'string' && value.startsWith('{') ? inputOf(value) : value);
  const text = blockTexts(inner['output'] ?? inner['content'] ?? value);
  const told = fieldsOf(inner['metadata'])['exit_code'];
  const code = Number.isInteger(told) ? Number(told) : Number(EXIT_CODE.exec(text.slice(0, 1_000))?.[1] ?? Number.NaN);
  const output = text.replace(
    /^(?:Chunk ID: .*\n)?(?:Exit code: .*\n)?Wall time: .*\n(?:Process exited .*\n)?(?:Original token count: .*\n)?Output:\n/,
    '',
  );
  return {
    output,
    ...(inner['success'] === false && { failed: true }),
    ...(Number.isInteger(code) && { exitCode: code }),
  };
}
