// Names and display texts of Copilot's tools. This is the only place that knows their names and parameters.
import { pathToFileURL } from 'node:url';
import type { FileChangeSummary, ToolCallResult, ToolCallStart } from '@agenthost/protocol';
import { oneLine } from '../events/boundedText.js';
import { inlineCode } from '../events/markdownCode.js';
import type { ToolExecutionCompleteData } from './sdk.js';

export interface ShellToolArguments {
  readonly command: string;
  readonly description?: string;
  readonly timeout?: number;
}
export interface FileToolArguments {
  /** Older tools used this name; today it is `path`. */
  readonly file_path?: string;
  readonly path?: string;
}
export interface SearchToolArguments {
  readonly pattern: string;
  readonly path?: string;
  readonly include?: string;
}
export interface FindToolArguments {
  readonly pattern: string;
  readonly path?: string;
}
export interface TaskToolArguments {
  readonly description?: string;
  readonly name?: string;
}

/** A call as it is shown in every stage. */
export type ToolCallDisplay = Omit<Extract<ToolCallStart, { status: 'running' }>, 'status' | 'confirmed'>;

interface ToolDisplay {
  readonly displayName: string;
  /** While it runs; `Running …`. */
  doing(args: Arguments): string;
  /** When it has ended well; `Ran …`. */
  done(args: Arguments): string;
  /** The shown input, when one text describes it completely. */
  input?(args: Arguments): string | undefined;
  readonly shell?: 'shellscript' | 'powershell';
  readonly edits?: true;
}

/** Unchecked input: a model may call a tool with anything. */
type Arguments = Readonly<Record<string, unknown>>;

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const fileOf = (args: Arguments): string | undefined => {
  const { path, file_path } = args as FileToolArguments;
  return text(path) ?? text(file_path);
};
const patternOf = (args: Arguments): string => text((args as Partial<SearchToolArguments>).pattern) ?? '';
const below = (args: Arguments): string => {
  const path = text((args as Partial<SearchToolArguments>).path);
  return path === undefined ? '' : ` in ${inlineCode(path)}`;
};
const commandOf = (args: Arguments): string => text((args as Partial<ShellToolArguments>).command) ?? '';

const shellRun = (displayName: string, shell: 'shellscript' | 'powershell'): ToolDisplay => ({
  displayName,
  shell,
  doing: (args) => `Running ${inlineCode(commandOf(args))}`,
  done: (args) => `Ran ${inlineCode(commandOf(args))}`,
  input: commandOf,
});
const plain = (displayName: string, doing: string, done: string): ToolDisplay => ({
  displayName,
  doing: () => doing,
  done: () => done,
});
const file = (displayName: string, doing: string, done: string, edits?: true): ToolDisplay => ({
  displayName,
  doing: (args) => `${doing} ${inlineCode(fileOf(args) ?? 'a file')}`,
  done: (args) => `${done} ${inlineCode(fileOf(args) ?? 'a file')}`,
  input: fileOf,
  ...(edits && { edits }),
});

/** A shell has a tool to run commands, and others for background ones. */
const shellTools = (shell: string, run: ToolDisplay): Record<string, ToolDisplay> => {
  const stop = plain('Stop Shell', 'Stopping a shell', 'Stopped a shell');
  return {
    [shell]: run,
    [`read_${shell}`]: plain('Read Shell Output', 'Reading the output of a shell', 'Read the output of a shell'),
    [`write_${shell}`]: plain('Write Shell Input', 'Writing to a shell', 'Wrote to a shell'),
    [`stop_${shell}`]: stop,
    [`${shell}_shutdown`]: stop,
    [`list_${shell}`]: plain('List Shells', 'Listing shells', 'Listed shells'),
  };
};

const writeFile = file('Write File', 'Writing', 'Wrote', true);

const TOOLS: Readonly<Record<string, ToolDisplay>> = {
  ...shellTools('bash', shellRun('Bash', 'shellscript')),
  ...shellTools('powershell', shellRun('PowerShell', 'powershell')),
  view: file('View File', 'Reading', 'Read'),
  edit: file('Edit File', 'Editing', 'Edited', true),
  write: writeFile,
  create: writeFile,
  grep: {
    displayName: 'Search',
    doing: (args) => `Searching for ${inlineCode(patternOf(args))}${below(args)}`,
    done: (args) => `Searched for ${inlineCode(patternOf(args))}${below(args)}`,
    input: patternOf,
  },
  glob: {
    displayName: 'Find Files',
    doing: (args) =>
      `Looking for files like ${inlineCode(patternOf(args as Partial<FindToolArguments>))}${below(args)}`,
    done: (args) => `Looked for files like ${inlineCode(patternOf(args))}${below(args)}`,
    input: patternOf,
  },
  patch: { ...plain('Patch', 'Applying a patch', 'Applied a patch'), edits: true },
  apply_patch: { ...plain('Patch', 'Applying a patch', 'Applied a patch'), edits: true },
  web_search: plain('Web Search', 'Searching the web', 'Searched the web'),
  ask_user: plain('Ask User', 'Asking you', 'Asked you'),
  task: {
    displayName: 'Sub-agent',
    doing: (args) => `Sub-agent: ${subAgentOf(args)}`,
    done: (args) => `Sub-agent has ended: ${subAgentOf(args)}`,
  },
};

/** For the test that no other code knows these names. */
export const TOOL_NAMES: readonly string[] = Object.keys(TOOLS);

function subAgentOf(args: Arguments): string {
  const { description, name } = args as TaskToolArguments;
  return oneLine(text(description) ?? text(name) ?? 'a task', 120);
}

export function toolCallDisplay(
  toolCallId: string,
  toolName: string,
  args: unknown,
  title: string | undefined,
): ToolCallDisplay {
  const display = displayOf(toolName, title);
  const given = asArguments(args);
  const toolInput = display.input ? display.input(given) : inputOf(args);
  return {
    toolCallId,
    toolName,
    displayName: display.displayName,
    invocationMessage: display.doing(given),
    ...(display.shell && { toolKind: 'terminal' as const, language: display.shell }),
    ...(toolInput !== undefined && toolInput !== '' && { toolInput }),
  };
}

export function toolResultDisplay(
  toolName: string,
  args: unknown,
  title: string | undefined,
  data: ToolExecutionCompleteData,
): ToolCallResult {
  const display = displayOf(toolName, title);
  const { success, result, error, shellExecution } = data;
  const exitCode = shellExecution?.exitCode;
  const ok = success && (exitCode === undefined || exitCode === 0);
  const done = display.done(asArguments(args));
  const end = exitCode === undefined ? '' : ` (exit ${exitCode})`;
  const output = display.shell ? shellOutput(result?.content) : result?.content;
  const edits = display.edits && success ? editsIn(result?.detailedContent) : [];
  return {
    success: ok,
    pastTenseMessage: success ? `${done}${end}` : `${done}, which failed`,
    ...(output !== undefined && output !== '' && { toolOutput: output }),
    ...(exitCode !== undefined && { exitCode }),
    ...(error && { error: { message: error.message, ...(error.code !== undefined && { code: error.code }) } }),
    ...(edits.length > 0 && { content: edits.map((edit) => ({ type: 'fileEdit' as const, ...edit })) }),
  };
}

/** An unknown tool: its name in words. */
function displayOf(toolName: string, title: string | undefined): ToolDisplay {
  const known = Object.hasOwn(TOOLS, toolName) ? TOOLS[toolName] : undefined;
  if (known) return known;
  const name = oneLine(title ?? inWords(toolName), 80);
  return plain(name, `Using ${name}`, `Used ${name}`);
}

function inWords(toolName: string): string {
  const words = toolName
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
  const [first = 'tool', ...rest] = words;
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest.map((word) => word.toLowerCase())].join(' ');
}

function asArguments(args: unknown): Arguments {
  return typeof args === 'object' && args !== null && !Array.isArray(args) ? (args as Arguments) : {};
}

function inputOf(args: unknown): string | undefined {
  if (typeof args === 'string') return args;
  if (typeof args !== 'object' || args === null || Object.keys(args).length === 0) return undefined;
  return JSON.stringify(args, undefined, 2);
}

/** Without the line about the shell that Copilot adds for its model. */
function shellOutput(content: string | undefined): string | undefined {
  return content?.replace(/\n?<shellId: \S+ completed with exit code -?\d+>\s*$/, '');
}

/** Copilot reports an edit as a git diff of one or more files. */
function editsIn(diff: string | undefined): (FileChangeSummary & { readonly diff: string })[] {
  if (diff === undefined) return [];
  return diff.split(/^(?=diff --git )/m).flatMap((part) => {
    const names = [/^\+\+\+ b(\/.+)$/m, /^--- a(\/.+)$/m].map((pattern) => pattern.exec(part)?.[1]);
    const path = names.find((name) => name !== undefined && name !== '/dev/null');
    if (path === undefined) return [];
    // Only what follows the first hunk's head: above it, the signs belong to file names.
    const lines = part.slice(part.search(/^@@ /m)).split('\n');
    const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
    return [{ uri: pathToFileURL(path).href, insertions: count('+'), deletions: count('-'), diff: part.trim() }];
  });
}
