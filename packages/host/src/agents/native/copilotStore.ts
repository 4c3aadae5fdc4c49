// Copilot CLI: ~/.copilot/session-state/<id>/events.jsonl, in older versions <id>.jsonl
import { basename, dirname, join } from 'node:path';
import { readSmallFile } from '../../storage/fs/foreignFile.js';
import { JsonlStore, type LineReader } from './jsonlStore.js';
import { blockTexts, fieldsOf, listOf, type NativeEntry, textOf } from './nativeEntry.js';
import type { NativePlace, NativeStore } from './nativeStore.js';

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const FILE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.jsonl$/;
const MAX_YAML = 16 * 1024;

export function copilotStore(home: string): NativeStore {
  return new JsonlStore({
    provider: 'copilot-acp',
    agentName: 'Copilot CLI',
    root: join(home, '.copilot', 'session-state'),
    levels: [[ID, /^events\.jsonl$/], [FILE]],
    nativeIdOf: (path) => {
      const name = basename(path);
      return name === 'events.jsonl' ? basename(dirname(path)) : name.slice(0, -'.jsonl'.length);
    },
    command: (id) => `copilot --resume ${id}`,
    reader: () => new CopilotReader(),
    beside,
  });
}

/** The name and the folder, from the file beside the conversation. Only plain values on one line are used. */
async function beside({ path }: NativePlace): Promise<{ readonly folder?: string; readonly title?: string }> {
  if (basename(path) !== 'events.jsonl') return {};
  const yaml = (await readSmallFile(join(dirname(path), 'workspace.yaml'), MAX_YAML)) ?? '';
  const value = (key: string) => {
    const text = new RegExp(`^${key}: (.+)$`, 'm').exec(yaml)?.[1]?.trim();
    return text === undefined || /^[|>&*!{[]/.test(text) ? undefined : text.replace(/^(["'])(.*)\1$/, '$2');
  };
  const folder = value('cwd');
  const title = value('name') ?? value('summary');
  return { ...(folder?.startsWith('/') && { folder }), ...(title && { title }) };
}

class CopilotReader implements LineReader {
  folder: string | undefined;

  *take(value: unknown): Generator<NativeEntry> {
    const line = fieldsOf(value);
    const { type, timestamp: at, id } = line;
    const data = fieldsOf(line['data']);
    if (type === 'session.start') this.folder ??= textOf(fieldsOf(data['context'])['cwd']);
    // Steps of sub-agents belong to the call that began them.
    if (data['parentToolCallId'] !== undefined && data['parentToolCallId'] !== null) return;
    const text = blockTexts(data['content']);
    switch (type) {
      case 'user.message': {
        // What the program itself says to the model is no message of a person.
        const source = textOf(data['source']);
        if (source !== undefined && source !== 'user') return;
        const files = listOf(data['attachments']).length;
        const shown =
          files === 0 ? '' : `${text === '' ? '' : '\n'}[${files === 1 ? 'an attachment' : `${files} attachments`}]`;
        if (text + shown !== '') yield { kind: 'user', text: text + shown, id, at };
        return;
      }
      case 'assistant.message': {
        const reasoning = textOf(data['reasoningText']);
        if (reasoning) yield { kind: 'reasoning', text: reasoning, at };
        if (text !== '') yield { kind: 'text', text, at };
        return;
      }
      case 'assistant.turn_end':
        yield { kind: 'end', state: 'complete', at };
        return;
      case 'tool.execution_start':
        yield {
          kind: 'call',
          id: data['toolCallId'],
          name: textOf(data['toolName']) ?? '',
          input: data['arguments'],
          at,
        };
        return;
      case 'tool.execution_complete':
        yield { kind: 'result', id: data['toolCallId'], ...outcome(data), at };
        return;
      case 'session.error':
        yield { kind: 'end', state: 'error', message: textOf(data['message']) ?? '', at };
        return;
      case 'abort':
        yield { kind: 'end', state: 'cancelled', at };
        return;
      case 'session.compaction_complete':
        yield { kind: 'notice', text: 'Copilot CLI summarised the conversation until here.', at };
        return;
      default:
    }
  }
}

function outcome(data: ReturnType<typeof fieldsOf>) {
  const exitCode = fieldsOf(data['shellExecution'])['exitCode'];
  const output = blockTexts(fieldsOf(data['result'])['content']) || (textOf(fieldsOf(data['error'])['message']) ?? '');
  return {
    output: output.replace(/\n?<shellId: \S+ completed with exit code -?\d+>\s*$/, ''),
    failed: data['success'] === false,
    ...(Number.isInteger(exitCode) && { exitCode: Number(exitCode) }),
  };
}
