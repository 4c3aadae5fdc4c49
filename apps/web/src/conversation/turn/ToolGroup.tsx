import type { CompletedToolCall, ToolCallState } from '@agenthost/protocol';
import { ChevronDown, ChevronRight, Ellipsis } from 'lucide-react';
import { Fragment, useReducer } from 'react';
import { ConfirmedLine } from '../prompts/ConfirmedLine.js';
import { duration } from '../times.js';
import { countCalls, isFailed, shownCalls } from './callGroups.js';
import { ToolLine } from './ToolLine.js';

interface ToolGroupProps {
  readonly turnId: string;
  readonly calls: readonly CompletedToolCall[];
}

/** "Ran 12 commands, read 8 files": tool calls in a row, folded to what they were, how they ended, and the last of them. */
export function ToolGroup({ turnId, calls }: ToolGroupProps) {
  const [open, setOpen] = useMarked('open', turnId, calls);
  const [all, setAll] = useMarked('all', turnId, calls);
  const failed = calls.filter(isFailed).length;
  const last = calls.at(-1);
  if (!last) return null;
  const took = last.endedAt - (calls[0]?.startedAt ?? last.startedAt);
  const shown = shownCalls(calls, all);
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <div className="group-steps">
      <div className="line">
        <Chevron size={16} aria-hidden />
        <span className="grow">
          <button type="button" className="think" aria-expanded={open} onClick={() => setOpen(!open)}>
            <span>
              {countCalls(calls).map(({ verb, what }, index) => (
                <Fragment key={verb}>
                  {index > 0 && ', '}
                  {verb} <b>{what}</b>
                </Fragment>
              ))}
              {failed > 0 && <span className="failed">, {failed.toLocaleString()} failed</span>}
            </span>
          </button>
        </span>
        <span className="aux num">{duration(took)}</span>
      </div>
      <div className="group-calls">
        {open
          ? calls.map((call, index) => {
              const isShown = shown.has(call);
              const hidden = isShown ? 0 : runLength(calls, shown, index);
              return (
                <Fragment key={call.toolCallId}>
                  {isShown && <ConfirmedLine call={call} />}
                  {isShown && <ToolLine call={call} timed />}
                  {hidden > 0 && (
                    <div className="line">
                      <Ellipsis size={16} aria-hidden />
                      <button type="button" className="think" onClick={() => setAll(true)}>
                        {hidden.toLocaleString()} more
                      </button>
                    </div>
                  )}
                </Fragment>
              );
            })
          : [<ToolLine key={last.toolCallId} call={last} note={`the last of ${calls.length.toLocaleString()}`} />]}
      </div>
    </div>
  );
}

/** Beyond this many, the oldest choice is forgotten. */
const MOST_MARKED = 500;
const marked = new Set<string>();

/** A group grows at its end while its turn runs, and at its start when earlier steps are loaded: one of its calls has the mark. */
export function useMarked(
  what: string,
  turnId: string,
  calls: readonly Pick<ToolCallState, 'toolCallId'>[],
): [boolean, (value: boolean) => void] {
  const [, renderAgain] = useReducer((count: number) => count + 1, 0);
  const marks = calls.map(({ toolCallId }) => `${what} ${turnId} ${toolCallId}`);
  const mark = (value: boolean) => {
    for (const one of marks) marked.delete(one);
    if (value && marks[0] !== undefined) marked.add(marks[0]);
    for (const oldest of marked) {
      if (marked.size <= MOST_MARKED) break;
      marked.delete(oldest);
    }
    renderAgain();
  };
  return [marks.some((one) => marked.has(one)), mark];
}

/** How many calls are left out from here on; 0 inside of such a row, so that it is told once. */
function runLength(calls: readonly CompletedToolCall[], shown: ReadonlySet<CompletedToolCall>, from: number): number {
  const before = calls[from - 1];
  if (before && !shown.has(before)) return 0;
  const next = calls.findIndex((call, index) => index > from && shown.has(call));
  return (next === -1 ? calls.length : next) - from;
}
