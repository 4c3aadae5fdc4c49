// Display texts for tool calls of ACP agents. They report the kind of a tool; names and parameters differ from agent to agent, and
// everything that is known of them is in this folder.
import { relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FileChangeSummary } from '@agenthost/protocol';
import type { PendingToolCallStart } from '@agenthost/protocol/internal';
import { isWithin } from '../../../storage/fs/confinement.js';
import type { AgentFileEdit, AgentToolResult, WholeEdit } from '../../agent.js';
import { boundedInput } from '../../events/boundedInput.js';
import { oneLine } from '../../events/boundedText.js';
import { inlineCode } from '../../events/markdownCode.js';
import type { ToolCallFields, ToolKind } from '../updateSchemas.js';
import { callInput, commandDetails } from './callInput.js';
import { blockText } from './contentBlocks.js';
import type { WitnessedEdit } from './editWitness.js';
import { forwardedError } from './errorProse.js';
import { lineDiff } from './lineDiff.js';

const MAX_SENTENCE = 240;

interface Words {
  readonly name: string;
  /** The verb before the object. */
  readonly doing: string;
  readonly done: string;
}

const WORDS: Readonly<Record<ToolKind, Words>> = {
  read: { name: 'Read File', doing: 'Reading', done: 'Read' },
  edit: { name: 'Edit File', doing: 'Editing', done: 'Edited' },
  delete: { name: 'Delete File', doing: 'Deleting', done: 'Deleted' },
  move: { name: 'Move File', doing: 'Moving', done: 'Moved' },
  search: { name: 'Search', doing: 'Searching', done: 'Searched' },
  execute: { name: 'Terminal', doing: 'Running', done: 'Ran' },
  think: { name: 'Think', doing: 'Thinking', done: 'Thought' },
  fetch: { name: 'Fetch', doing: 'Fetching', done: 'Fetched' },
  switch_mode: { name: 'Switch Mode', doing: 'Switching the mode', done: 'Switched the mode' },
  other: { name: 'Tool', doing: 'Using a tool', done: 'Used a tool' },
};

export interface CallFacts {
  readonly fields: ToolCallFields;
  readonly edits: readonly FileEdit[];
  readonly cwd: string;
}

export interface FileEdit extends FileChangeSummary, WitnessedEdit {
  readonly diff: string;
}

/** The edits in a call's content. */
export function editsOf(fields: ToolCallFields, cwd: string): FileEdit[] {
  return (fields.content ?? []).flatMap((content) => {
    if (content.type !== 'diff' || content.path === undefined) return [];
    const { oldText, newText = '' } = content;
    const { insertions, deletions, text } = lineDiff(oldText ?? '', newText);
    const path = resolve(cwd, content.path);
    return [{ path, oldText, newText, uri: pathToFileURL(path).href, insertions, deletions, diff: text }];
  });
}

type CallDisplay = Omit<PendingToolCallStart, 'toolCallId' | 'status' | 'confirmation'>;

/** Everything of a call that is shown before it ends; for a question, also the agent's text beside the input. */
export function callDisplay({ fields, edits, cwd }: CallFacts, { isAsked = false } = {}): CallDisplay {
  const { kind = 'other', name } = fields;
  const base = { toolName: name ?? kind, displayName: displayName(kind, name) };
  const command = commandOf(fields);
  if (command !== undefined) {
    const invocationMessage = `Running ${inlineCode(command)}`;
    return { ...base, invocationMessage, toolKind: 'terminal', language: 'shellscript', toolInput: command };
  }
  const subject = subjectOf(fields, edits, cwd);
  const invocationMessage = subject ? `${WORDS[kind].doing} ${subject}` : (sentence(fields) ?? WORDS[kind].doing);
  if (edits.length > 0) {
    const toolInput = edits.map(({ path, diff }) => `${shortPath(path, cwd)}\n${diff}`).join('\n');
    return { ...base, invocationMessage, language: 'diff', toolInput: boundedInput(toolInput) };
  }
  return { ...base, invocationMessage, ...callInput(fields, isAsked) };
}

/** The question about a call. It names the tool, and says what the agent doesn't show. */
export function callQuestion(
  { fields, edits }: CallFacts,
  { displayName: tool, invocationMessage, toolInput }: CallDisplay,
  agent: string,
): string {
  const { kind = 'other', name, title } = fields;
  if (kind === 'execute') {
    const details = commandDetails(fields);
    const missing = toolInput ? '' : ` ${agent} does not show the command.`;
    return `${tool}${details && ` (${details})`}: allow this?${missing}`;
  }
  const what = kind === 'other' && name === undefined ? oneLine(title ?? '', MAX_SENTENCE) || tool : tool;
  if (toolInput === undefined) {
    const about =
      invocationMessage === WORDS[kind].doing || invocationMessage === what ? what : `${what}: ${invocationMessage}`;
    return `${about}: allow this? ${agent} does not show what it would do.`;
  }
  const hidden = kind === 'edit' && edits.length === 0 ? ` ${agent} does not show the change as a diff.` : '';
  return `${what}: allow this?${hidden}`;
}

export interface CallOutcome {
  readonly exitCode: number | undefined;
  /** Its text, unless it was shown as live output. */
  readonly output: string | undefined;
  /** The proven file contents for each edit. */
  readonly whole: readonly (WholeEdit | undefined)[];
}

export function callResult(facts: CallFacts, { exitCode, output, whole }: CallOutcome): AgentToolResult {
  const { fields, edits, cwd } = facts;
  const { kind = 'other', status } = fields;
  // What a sub-agent says is the end of its turn.
  const isFailedAgent = kind === 'think' && output !== undefined && forwardedError(output) !== undefined;
  const success = status === 'completed' && (exitCode === undefined || exitCode === 0) && !isFailedAgent;
  const failure = output || 'The agent did not say why.';
  const content = edits.map(({ uri, insertions, deletions, diff }, index): AgentFileEdit => {
    const known = whole[index];
    // An agent may report a fragment; only the whole file has the right line numbers.
    const exact = known ? lineDiff(known.before ?? '', known.after).text : '';
    return { type: 'fileEdit', uri, insertions, deletions, diff: exact || diff, ...(known && { whole: known }) };
  });
  return {
    success,
    pastTenseMessage: pastTense(facts, success, exitCode),
    ...(output && { toolOutput: output }),
    ...(success && content.length > 0 && { content }),
    ...(exitCode !== undefined && { exitCode }),
    ...((status === 'failed' || isFailedAgent) && exitCode === undefined && { error: { message: failure } }),
  };

  function pastTense({ fields, edits }: CallFacts, success: boolean, exitCode: number | undefined): string {
    const command = commandOf(fields);
    if (command !== undefined) {
      const end = exitCode === undefined ? (success ? '' : ' (failed)') : ` (exit ${exitCode})`;
      return `Ran ${inlineCode(command)}${end}`;
    }
    const subject = subjectOf(fields, edits, cwd);
    if (!success)
      return `Failed: ${subject ? `${WORDS[kind].doing} ${subject}` : (sentence(fields) ?? WORDS[kind].name)}`;
    if (!subject) return sentence(fields) ?? WORDS[kind].done;
    const count = (of: 'insertions' | 'deletions') => edits.reduce((sum, edit) => sum + edit[of], 0);
    return `${WORDS[kind].done} ${subject}${edits.length > 0 ? ` (+${count('insertions')} −${count('deletions')})` : ''}`;
  }
}

/** The text of a call's content, without the fence that some agents put around a command's output. */
export function contentText(fields: ToolCallFields): string {
  const texts = (fields.content ?? []).flatMap(({ content }) => (content ? [blockText(content)] : []));
  const text = texts.filter((each) => each !== '').join('\n');
  return /^```[\w-]*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
}

/** A tool's result, when it is a text or one of the usual fields. */
export function rawText(rawOutput: unknown): string | undefined {
  if (typeof rawOutput === 'string') return rawOutput;
  const found = ['output', 'stdout', 'message', 'content', 'error'].map((name) => field(rawOutput, name));
  return found.find((value): value is string => typeof value === 'string' && value !== '');
}

/** A command's exit code, from any place where agents put it. */
export function exitCodeOf({ rawOutput, _meta: meta }: ToolCallFields): number | undefined {
  const contents = field(rawOutput, 'contents');
  const places = [field(meta, 'terminal_exit'), rawOutput, field(rawOutput, 'metadata')];
  for (const place of [...places, ...(Array.isArray(contents) ? contents : [])]) {
    for (const name of ['exit_code', 'exitCode', 'exit']) {
      const value = field(place, name);
      if (Number.isInteger(value)) return value as number;
    }
  }
  return undefined;
}

/** Live output. The protocol has no field for it yet; agents agreed on these. */
export function liveOutput(meta: unknown): string | undefined {
  for (const name of ['terminal_output', 'terminal_output_delta']) {
    const data = field(field(meta, name), 'data');
    if (typeof data === 'string') return data;
  }
  return undefined;
}

function commandOf({ kind, title, rawInput }: ToolCallFields): string | undefined {
  if (kind !== 'execute') return undefined;
  const command = field(rawInput, 'command') ?? field(rawInput, 'cmd');
  if (typeof command === 'string' && command !== '') return command;
  if (Array.isArray(command)) return command.map(String).join(' ');
  return title ?? '';
}

function displayName(kind: ToolKind, name: string | undefined): string {
  if (kind !== 'other' || name === undefined) return WORDS[kind].name;
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_\-./:]+/g, ' ')
    .trim();
  return words === '' ? WORDS.other.name : words.replace(/(?<= |^)\p{Ll}/gu, (letter) => letter.toUpperCase());
}

/** The files that the call is about, only where the kind says what is done to them. */
function subjectOf(fields: ToolCallFields, edits: readonly FileEdit[], cwd: string): string | undefined {
  const { kind } = fields;
  if (kind !== 'edit' && kind !== 'delete' && kind !== 'read' && kind !== 'move') return undefined;
  const paths = edits.length > 0 ? edits.map(({ path }) => path) : (fields.locations ?? []).map(({ path }) => path);
  const [first, ...more] = new Set(paths);
  if (first === undefined) return undefined;
  return `${inlineCode(shortPath(resolve(cwd, first), cwd))}${more.length > 0 ? ` and ${more.length} more` : ''}`;
}

/** A title that is more than the tool's name. */
function sentence({ title, name }: ToolCallFields): string | undefined {
  const line = oneLine(title ?? '', MAX_SENTENCE);
  return line === '' || line === name || /^[a-z_]+$/.test(line) ? undefined : line;
}

function shortPath(path: string, cwd: string): string {
  const way = relative(cwd, path);
  return way === '' || !isWithin(cwd, path) ? path : way;
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
