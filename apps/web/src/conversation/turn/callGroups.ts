import type { CompletedToolCall, ToolCallState, TurnStep } from '@agenthost/protocol';
import { CallTree } from '@agenthost/protocol/internal';
import { hasContents } from './toolContentsOf.js';

/** Verbs at the start of a call's past tense, and what to count after them. Other calls are counted as such. */
const OBJECTS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  Ran: ['command', 'commands'],
  Read: ['file', 'files'],
  Edited: ['file', 'files'],
  Wrote: ['file', 'files'],
  Deleted: ['file', 'files'],
  Moved: ['file', 'files'],
  Searched: ['time', 'times'],
  Fetched: ['page', 'pages'],
};

/** Whether a call may be folded into a group: it has ended, and needs no more than a line. */
export function isGroupable(call: ToolCallState): call is CompletedToolCall {
  if (call.status === 'cancelled') return call.cancelled === 'turnEnded';
  if (call.status !== 'completed' || hasContents(call)) return false;
  const showsDiff = call.result.content?.some((content) => content.type === 'fileEdit' && content.diff !== undefined);
  return !(call.result.success && showsDiff);
}

export function isFailed(call: ToolCallState): boolean {
  return call.status === 'completed' && !call.result.success;
}

/** A failed command at the end of a row stands alone with its last lines: it is what the reader looks for. */
export function splitRow(calls: readonly CompletedToolCall[]): {
  readonly group: readonly CompletedToolCall[];
  readonly alone: readonly CompletedToolCall[];
} {
  const last = calls.at(-1);
  const isAlone = last !== undefined && last.toolKind === 'terminal' && isFailed(last);
  const group = isAlone ? calls.slice(0, -1) : calls;
  if (group.length < 2) return { group: [], alone: calls };
  return { group, alone: isAlone ? [last] : [] };
}

/** A piece of "Ran 12 commands, read 8 files". */
export interface CountedCalls {
  readonly verb: string;
  readonly what: string;
}

export function countCalls(calls: readonly CompletedToolCall[]): readonly CountedCalls[] {
  const counts = new Map<string, number>();
  for (const call of calls) {
    const verb = verbOf(call);
    counts.set(verb, (counts.get(verb) ?? 0) + 1);
  }
  return [...counts].map(([verb, count], index) => {
    const [one, many] = OBJECTS[verb] ?? ['tool', 'tools'];
    return {
      verb: index === 0 ? verb : verb.toLowerCase(),
      what: `${count.toLocaleString()} ${count === 1 ? one : many}`,
    };
  });
}

function verbOf(call: CompletedToolCall): string {
  if (call.toolKind === 'terminal') return 'Ran';
  const first = call.status === 'completed' ? /^\p{L}+/u.exec(call.result.pastTenseMessage)?.[0] : undefined;
  return first !== undefined && Object.hasOwn(OBJECTS, first) && first !== 'Ran' ? first : 'Used';
}

/** The calls of an open group: the first three, failed ones, the last one; the others can be shown. */
export function shownCalls(calls: readonly CompletedToolCall[], all: boolean): ReadonlySet<CompletedToolCall> {
  if (all || calls.length <= 6) return new Set(calls);
  return new Set(calls.filter((call, index) => index < 3 || index === calls.length - 1 || isFailed(call)));
}

export function isEnded(call: ToolCallState): call is CompletedToolCall {
  return call.status === 'completed' || call.status === 'cancelled';
}

/** The steps of a turn, with those of sub-agents under the call that started them. */
export interface NestedSteps {
  readonly top: readonly TurnStep[];
  /** By the id of the call that started a sub-agent: the steps right under it. */
  readonly under: ReadonlyMap<string, readonly TurnStep[]>;
}

export function nestSteps(steps: readonly TurnStep[]): NestedSteps {
  const tree = new CallTree();
  const top: TurnStep[] = [];
  const under = new Map<string, TurnStep[]>();
  for (const step of steps) {
    const { parent } = step.call ? tree.place(step.call) : {};
    const siblings = parent === undefined ? top : (under.get(parent) ?? []);
    siblings.push(step);
    if (parent !== undefined) under.set(parent, siblings);
  }
  return { top, under };
}

/** All steps below a call, in their order. */
export function stepsBelow({ under }: NestedSteps, toolCallId: string): readonly TurnStep[] {
  const below = (id: string): readonly TurnStep[] =>
    (under.get(id) ?? []).flatMap((step) => [step, ...(step.call ? below(step.call.toolCallId) : [])]);
  return below(toolCallId);
}
