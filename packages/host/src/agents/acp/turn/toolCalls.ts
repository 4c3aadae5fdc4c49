import type { FileChangeSummary } from '@agenthost/protocol';
import type { AgentEvent } from '../../agent.js';
import { fencedCode } from '../../events/markdownCode.js';
import { shownOptions } from '../permissionOptions.js';
import type { PermissionRequestFields, ToolCallFields } from '../updateSchemas.js';
import { isNothing, starterOf } from './callInput.js';
import { callContents } from './contentBlocks.js';
import { EditWitness } from './editWitness.js';
import {
  type CallFacts,
  type CallOutcome,
  callDisplay,
  callQuestion,
  callResult,
  contentText,
  editsOf,
  exitCodeOf,
  type FileEdit,
  liveOutput,
  rawText,
} from './toolDisplay.js';
import type { TurnEvents } from './turnEvents.js';

/** Kinds that change nothing, according to the agent. */
const READ_ONLY: ReadonlySet<unknown> = new Set(['read', 'search']);

export interface FollowedTerminal {
  /** Defined when the terminal's command has ended. */
  exitCode(): number | undefined;
}

export interface ToolCallsOptions {
  readonly cwd: string;
  /** The agent's name, for texts about it. */
  readonly agentName: string;
  readonly events: Pick<TurnEvents, 'emit' | 'emitLater'>;
  /** The events for changed files, if there are any. */
  changed(changes: readonly FileChangeSummary[]): readonly AgentEvent[];
  /** Follows a terminal of ours that a call shows. */
  followTerminal(terminalId: string, onOutput: (output: string) => void): FollowedTerminal | undefined;
}

export interface Question<T> {
  readonly requestId: string;
  /** The input that was shown with the question: an approval belongs to exactly that. */
  readonly shown: string | undefined;
  readonly answer: T;
}

interface Call {
  fields: ToolCallFields;
  edits: readonly FileEdit[];
  /** An `announced` call may be announced again until a question about it was asked or it has ended. */
  phase: 'announced' | 'asked' | 'approved' | 'denied' | 'ended';
  shown: string;
  /** The call that started the sub-agent which makes this one. */
  parent: string | undefined;
  /** The part of the call's text that was sent as live output. */
  told: string;
  live: boolean;
  exitCode: number | undefined;
  terminal: FollowedTerminal | undefined;
  questions: number;
}

/** The tool calls of one turn: turns an agent's updates, in any order, into events of the host. */
export class ToolCalls {
  readonly #options: ToolCallsOptions;
  readonly #calls = new Map<string, Call>();
  readonly #witness: EditWitness;

  constructor(options: ToolCallsOptions) {
    this.#options = options;
    this.#witness = new EditWitness(options.cwd);
  }

  /** Whether a call runs that may take long. */
  get isRunning(): boolean {
    return [...this.#calls.values()].some(({ phase }) => phase === 'announced' || phase === 'approved');
  }

  update(update: ToolCallFields): void {
    const phase = this.#calls.get(update.toolCallId)?.phase;
    if (phase === 'denied' || phase === 'ended') return;
    const call = this.#merge(update);
    this.#show(call);
    if (call.phase === 'asked') return;
    this.#output(call, update);
    if (call.fields.status === 'completed' || call.fields.status === 'failed') this.#end(call);
  }

  /**
   * Announces a call that waits for an answer, or asks again about an answered one. It waits before it asks, so that an answer
   * from within the event handler is received too.
   */
  ask<T>({ toolCall, options }: PermissionRequestFields, wait: (requestId: string) => T): Question<T> {
    const { toolCallId } = toolCall;
    const call = this.#merge(toolCall);
    this.#witness.look(toolCallId, call.edits, { isBefore: true });
    const choices = shownOptions(options);
    const facts = this.#facts(call);
    const display = callDisplay(facts, { isAsked: true });
    const title = callQuestion(facts, display, this.#options.agentName);
    const shown = display.toolInput;
    if (call.phase === 'announced' && call.questions++ === 0) {
      const answer = wait(toolCallId);
      call.phase = 'asked';
      call.shown = display.invocationMessage;
      this.#options.events.emit({
        type: 'toolStart',
        toolCall: {
          toolCallId,
          ...display,
          ...parentIn(call),
          status: 'pendingConfirmation',
          confirmation: {
            title,
            options: choices,
            ...(READ_ONLY.has(call.fields.kind) && { readOnly: true }),
          },
        },
      });
      return { requestId: toolCallId, shown, answer };
    }
    const requestId = `${toolCallId}/question-${++call.questions}`;
    const answer = wait(requestId);
    const input = shown === undefined ? [] : [fencedCode(shown, display.language)];
    this.#options.events.emit({
      type: 'permissionRequest',
      request: {
        requestId,
        kind: 'permission',
        title: title.replace('allow this?', 'allow this as well?'),
        message: [toolCall.title ?? display.invocationMessage, ...input].join('\n\n'),
        toolCallId,
        options: choices,
      },
    });
    return { requestId, shown, answer };
  }

  /** The name of a call in texts. */
  nameOf(toolCallId: string): string {
    const call = this.#calls.get(toolCallId);
    if (!call) return 'a tool';
    const { displayName, invocationMessage } = callDisplay(this.#facts(call));
    return `${displayName}: ${invocationMessage}`;
  }

  /** Resolves when the files of an approved call have been read; then the agent may begin. */
  async looked(toolCallId: string): Promise<void> {
    await this.#witness.looked(toolCallId, this.#calls.get(toolCallId)?.edits ?? []);
  }

  /** Records the answer to a question. A denied call is not reported again. */
  answered(toolCallId: string, approved: boolean): void {
    const call = this.#calls.get(toolCallId);
    if (call?.phase === 'asked') call.phase = approved ? 'approved' : 'denied';
  }

  #merge(update: ToolCallFields): Call {
    const { cwd } = this.#options;
    const known = this.#calls.get(update.toolCallId);
    const isTold = known !== undefined && !isNothing(known.fields.rawInput);
    const given = Object.fromEntries(
      Object.entries(update).filter(
        // Some agents ask with an empty input about a call whose input they sent before.
        ([name, value]) => value !== undefined && !(name === 'rawInput' && isTold && isNothing(value)),
      ),
    );
    const fields = { ...known?.fields, ...given, toolCallId: update.toolCallId } as ToolCallFields;
    const edits = update.content ? editsOf(update, cwd) : [];
    this.#witness.look(update.toolCallId, edits, { isBefore: false });
    const parent = starterOf(update._meta);
    if (known) {
      known.fields = fields;
      known.parent ??= parent;
      // Agents replace the diff by "done" when they are done, but the change is still worth showing.
      if (edits.length > 0) known.edits = edits;
      return known;
    }
    const call: Call = {
      fields,
      edits,
      phase: 'announced',
      shown: '',
      parent,
      told: '',
      live: false,
      exitCode: undefined,
      terminal: undefined,
      questions: 0,
    };
    this.#calls.set(update.toolCallId, call);
    return call;
  }

  #show(call: Call): void {
    const { toolCallId } = call.fields;
    const display = { ...callDisplay(this.#facts(call)), ...parentIn(call) };
    if (call.phase === 'announced') {
      const shown = JSON.stringify(display);
      if (shown === call.shown) return;
      call.shown = shown;
      this.#options.events.emit({
        type: 'toolStart',
        toolCall: { toolCallId, ...display, status: 'running', confirmed: { how: 'notNeeded' } },
      });
    } else if (call.phase === 'approved' && display.invocationMessage !== call.shown) {
      call.shown = display.invocationMessage;
      this.#options.events.emit({ type: 'toolUpdate', toolCallId, invocationMessage: display.invocationMessage });
    }
  }

  #output(call: Call, update: ToolCallFields): void {
    call.exitCode = exitCodeOf(update) ?? call.exitCode;
    const chunk = liveOutput(update._meta);
    if (chunk !== undefined) this.#tell(call, chunk);
    const terminalId = update.content?.find(({ type }) => type === 'terminal')?.terminalId;
    if (terminalId !== undefined && !call.terminal) {
      call.terminal = this.#options.followTerminal(terminalId, (output) => this.#tell(call, output));
    }
    // Before the call runs, the content describes it. Only a command's content is shown while it grows.
    const runs = call.fields.status !== 'pending' || call.phase === 'approved';
    const isOutput = call.fields.kind === 'execute' && runs;
    if (!isOutput || !update.content || chunk !== undefined) return;
    const text = contentText(update);
    if (text.length <= call.told.length || !text.startsWith(call.told)) return;
    const fresh = text.slice(call.told.length);
    call.told = text;
    this.#tell(call, fresh);
  }

  #tell(call: Call, output: string): void {
    if (output === '' || call.phase === 'ended') return;
    call.live = true;
    this.#options.events.emit({ type: 'toolUpdate', toolCallId: call.fields.toolCallId, output });
  }

  #end(call: Call): void {
    const { fields, edits } = call;
    const { toolCallId, kind, status } = fields;
    const text = contentText(fields) || rawText(fields.rawOutput) || '';
    if (kind === 'execute' && !call.live) this.#tell(call, text);
    const exitCode = call.exitCode ?? call.terminal?.exitCode();
    const isShown = call.live || text === '';
    call.phase = 'ended';
    const facts = this.#facts(call);
    const contents = callContents(fields);
    const { events, changed } = this.#options;
    let changes: readonly AgentEvent[] | undefined;
    const end = (whole: CallOutcome['whole']): readonly AgentEvent[] => {
      const result = callResult(facts, { exitCode, output: isShown ? undefined : text, whole });
      // Counted once, also when no one waits for the files.
      changes ??= status === 'completed' ? changed(edits.length > 0 ? edits : touched(facts)) : [];
      return [{ type: 'toolComplete', toolCallId, result, ...(contents.length > 0 && { contents }) }, ...changes];
    };
    if (status === 'completed' && edits.length > 0) {
      events.emitLater(this.#witness.judge(toolCallId, edits).then(end), () => end([]));
    } else for (const event of end([])) events.emit(event);
    // Only the fact that it ended is kept; a turn may have very many calls.
    Object.assign(call, { fields: { toolCallId }, edits: [], shown: '', told: '', terminal: undefined });
  }

  #facts({ fields, edits }: Call): CallFacts {
    return { fields, edits, cwd: this.#options.cwd };
  }
}

/** Files that the agent reported as changed without saying how. */
function touched({ fields, cwd }: CallFacts): FileChangeSummary[] {
  if (fields.kind !== 'edit') return [];
  const content = (fields.locations ?? []).map(({ path }) => ({ type: 'diff', path, content: undefined }));
  return editsOf({ ...fields, content: content as NonNullable<ToolCallFields['content']> }, cwd);
}

function parentIn({ parent }: Call): { readonly parentToolCallId?: string } {
  return parent === undefined ? {} : { parentToolCallId: parent };
}
