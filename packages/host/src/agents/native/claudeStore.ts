// Claude Code: ~/.claude/projects/<folder>/<id>.jsonl
import { basename, join } from 'node:path';
import { JsonlStore, type LineReader } from './jsonlStore.js';
import { blockTexts, type Fields, fieldsOf, listOf, type NativeEntry, textOf } from './nativeEntry.js';
import type { NativeStore } from './nativeStore.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** What Claude Code itself writes in the name of the user. */
const INTERRUPTED = /^\[Request interrupted by user/;
const COMMAND = /^\s*(?:<command-message>[^<]*<\/command-message>\s*)?<command-name>([^<]{1,200})<\/command-name>/;
const COMMAND_ARGS = /<command-args>([^<]*)<\/command-args>/;
const COMMAND_OUTPUT = /^\s*<local-command-(?:stdout|stderr)>([\s\S]*?)<\/local-command-(?:stdout|stderr)>\s*$/;
const INJECTED = /^\s*<(?:system-reminder|local-command-caveat|task-notification|bash-stdout|user-prompt-submit-hook)>/;

export function claudeStore(home: string): NativeStore {
  return new JsonlStore({
    provider: 'claude',
    agentName: 'Claude Code',
    root: join(home, '.claude', 'projects'),
    levels: [[/^[^.]/, /\.jsonl$/]],
    nativeIdOf: (path) => {
      const id = basename(path, '.jsonl');
      return UUID.test(id) ? id : undefined;
    },
    command: (id) => `claude --resume ${id}`,
    reader: () => new ClaudeReader(),
    hasLateTitle: true,
  });
}

class ClaudeReader implements LineReader {
  folder: string | undefined;
  #titles: { custom?: string; own?: string; summary?: string } = {};
  readonly #seen = new Set<string>();

  get title(): string | undefined {
    return this.#titles.custom ?? this.#titles.own ?? this.#titles.summary;
  }

  *take(value: unknown): Generator<NativeEntry> {
    const line = fieldsOf(value);
    this.folder ??= textOf(line['cwd']);
    this.#learnTitle(line);
    if (line['isSidechain'] === true) return;
    const { uuid, timestamp: at } = line;
    // A resumed conversation may have its earlier lines again.
    if (typeof uuid === 'string') {
      if (this.#seen.has(uuid)) return;
      if (this.#seen.size < 200_000) this.#seen.add(uuid);
    }
    if (line['type'] === 'user') yield* this.#user(line, uuid, at);
    else if (line['type'] === 'assistant') yield* assistant(line, at);
    else if (line['type'] === 'system' && line['subtype'] === 'compact_boundary') {
      yield { kind: 'notice', text: 'Claude Code summarised the conversation until here.', at };
    }
  }

  #learnTitle(line: Fields): void {
    const { type } = line;
    const custom = type === 'custom-title' ? textOf(line['customTitle']) : undefined;
    const own = type === 'ai-title' ? textOf(line['aiTitle']) : undefined;
    const summary = type === 'summary' ? textOf(line['summary']) : undefined;
    if (custom) this.#titles.custom = custom;
    if (own) this.#titles.own = own;
    if (summary) this.#titles.summary = summary;
  }

  *#user(line: Fields, id: unknown, at: unknown): Generator<NativeEntry> {
    const { content } = fieldsOf(line['message']);
    const outcome = fieldsOf(line['toolUseResult']);
    for (const block of listOf(content).map(fieldsOf)) {
      if (block['type'] !== 'tool_result') continue;
      const output = blockTexts(block['content']);
      const failed = block['is_error'] === true;
      const code = failed ? /^Exit code (\d{1,3})\n?/.exec(output) : null;
      yield {
        kind: 'result',
        id: block['tool_use_id'],
        output: code ? output.slice(code[0].length) : output,
        failed,
        ...(code && { exitCode: Number(code[1]) }),
        ...(outcome['interrupted'] === true && { failed: true }),
        at,
      };
    }
    const blocks = typeof content === 'string' ? content : listOf(content).filter(isText);
    const images = listOf(content).filter((block) => fieldsOf(block)['type'] === 'image').length;
    const text = blockTexts(blocks);
    if (text === '' && images === 0) return;
    if (INTERRUPTED.test(text)) {
      yield { kind: 'end', state: 'cancelled', at };
      return;
    }
    if (line['isCompactSummary'] === true || line['isMeta'] === true || INJECTED.test(text)) return;
    const output = COMMAND_OUTPUT.exec(text);
    if (output) {
      if (output[1]) yield { kind: 'text', text: output[1], at };
      return;
    }
    const command = COMMAND.exec(text);
    if (!command) {
      const shown = images === 0 ? '' : `${text === '' ? '' : '\n'}[${images === 1 ? 'an image' : `${images} images`}]`;
      yield { kind: 'user', text: text + shown, id, at };
      return;
    }
    const args = COMMAND_ARGS.exec(text)?.[1]?.trim();
    yield { kind: 'user', text: args ? `${command[1]} ${args}` : (command[1] ?? ''), id, at };
  }
}

function* assistant(line: Fields, at: unknown): Generator<NativeEntry> {
  const message = fieldsOf(line['message']);
  for (const block of listOf(message['content']).map(fieldsOf)) {
    const { type } = block;
    if (type === 'text' && textOf(block['text'])) yield { kind: 'text', text: String(block['text']), at };
    else if (type === 'thinking' && textOf(block['thinking'])) {
      yield { kind: 'reasoning', text: String(block['thinking']), at };
    } else if (type === 'tool_use') {
      yield { kind: 'call', id: block['id'], name: textOf(block['name']) ?? '', input: block['input'], at };
    }
  }
  if (line['isApiErrorMessage'] === true) {
    yield { kind: 'end', state: 'error', message: blockTexts(message['content']), at };
  } else if (message['stop_reason'] === 'end_turn' || message['stop_reason'] === 'stop_sequence') {
    yield { kind: 'end', state: 'complete', at };
  }
}

function isText(block: unknown): boolean {
  return fieldsOf(block)['type'] === 'text';
}
