// Display texts for the tool calls that are found in the stores of agents. Their names and parameters are those of the agents.
import { isAbsolute, relative } from 'node:path';
import type { CompletedToolCall, ToolCallResult } from '@agenthost/protocol';
import { INLINE_CONTENT_LIMIT } from '@agenthost/protocol/internal';
import { isWithin } from '../../storage/fs/confinement.js';
import { headAndTail, oneLine } from '../events/boundedText.js';
import { jsonText } from '../events/jsonText.js';
import { inlineCode } from '../events/markdownCode.js';
import { fieldsOf } from './nativeEntry.js';

const SHELLS = /^(bash|shell|exec|exec_command|local_shell|local_shell_call|run_shell_command|powershell)$/i;
const READS = /^(read|read_file|view|view_image|notebookread|cat)$/i;
const EDITS =
  /^(write|write_file|create|edit|edit_file|multiedit|notebookedit|replace|str_replace|str_replace_editor|patch|apply_patch)$/i;
const PATH_KEYS = ['file_path', 'filePath', 'path', 'absolute_path', 'notebook_path'] as const;
const MAX_NAME = 100;

type Shown = Pick<
  CompletedToolCall,
  'toolName' | 'displayName' | 'invocationMessage' | 'toolKind' | 'language' | 'toolInput'
>;

/** What is shown of a call, and the sentence for when it has ended. */
export function shownCall(name: string, input: unknown, folder: string | undefined): Shown & { readonly past: string } {
  const toolName = oneLine(name, MAX_NAME) || 'tool';
  const command = SHELLS.test(toolName) ? commandOf(input) : undefined;
  if (command !== undefined) {
    return {
      toolName,
      displayName: 'Terminal',
      invocationMessage: `Running ${inlineCode(command)}`,
      toolKind: 'terminal',
      language: 'shellscript',
      toolInput: headAndTail(command, INLINE_CONTENT_LIMIT),
      past: `Ran ${inlineCode(command)}`,
    };
  }
  const path = pathOf(input);
  const about = path === undefined ? '' : ` ${inlineCode(shortPath(path, folder))}`;
  const text = typeof input === 'string' ? input : input === undefined ? '' : jsonText(input);
  const toolInput = text === '' ? {} : { toolInput: headAndTail(text, INLINE_CONTENT_LIMIT) };
  const language = typeof input === 'string' || text === '' ? {} : { language: 'json' };
  if (READS.test(toolName)) return { ...words('Read File', 'Reading', 'Read'), ...language, ...toolInput };
  if (EDITS.test(toolName)) return { ...words('Edit File', 'Editing', 'Edited'), ...language, ...toolInput };
  const displayName = spokenName(toolName);
  return {
    toolName,
    displayName,
    invocationMessage: `${displayName}${about}`,
    ...language,
    ...toolInput,
    past: `${displayName}${about}`,
  };

  function words(shown: string, doing: string, done: string) {
    return {
      toolName,
      displayName: shown,
      invocationMessage: `${doing}${about || ' a file'}`,
      past: `${done}${about || ' a file'}`,
    };
  }
}

export function shownResult(
  past: string,
  { output, failed, exitCode }: { output: string; failed?: boolean | undefined; exitCode?: number | undefined },
): ToolCallResult {
  const success = failed !== true && (exitCode === undefined || exitCode === 0);
  const end = exitCode === undefined ? (success ? '' : ' (failed)') : ` (exit ${exitCode})`;
  return {
    success,
    pastTenseMessage: `${past}${end}`,
    ...(output !== '' && { toolOutput: headAndTail(output, INLINE_CONTENT_LIMIT) }),
    ...(exitCode !== undefined && { exitCode }),
  };
}

function commandOf(input: unknown): string | undefined {
  if (typeof input === 'string') return input === '' ? undefined : input;
  const fields = fieldsOf(input);
  const action = fieldsOf(fields['action']);
  const command = fields['command'] ?? fields['cmd'] ?? action['command'];
  if (Array.isArray(command)) return command.filter((word) => typeof word === 'string').join(' ') || undefined;
  return typeof command === 'string' && command !== '' ? command : undefined;
}

function pathOf(input: unknown): string | undefined {
  const fields = fieldsOf(input);
  for (const key of PATH_KEYS) {
    const value = fields[key];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

function shortPath(path: string, folder: string | undefined): string {
  if (folder === undefined || !isAbsolute(path) || !isWithin(folder, path)) return path;
  return relative(folder, path) || path;
}

function spokenName(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_\-./:]+/g, ' ')
    .trim();
  return words === '' ? 'Tool' : words.replace(/(?<= |^)\p{Ll}/gu, (letter) => letter.toUpperCase());
}
