import type { ToolCallState, TurnStep } from '@agenthost/protocol';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
import { useChat } from '../chatContext.js';
import { InlineText } from '../InlineText.js';
import { duration } from '../times.js';
import { countCalls, isEnded, isFailed } from './callGroups.js';
import { useMarked } from './ToolGroup.js';
import { LineGlyph, lineText, ToolLine } from './ToolLine.js';

interface SubAgentProps {
  readonly turnId: string;
  /** The call that started it. */
  readonly call: ToolCallState;
  /** All steps below it, in their order. */
  readonly steps: readonly TurnStep[];
  /** Some of its steps are not loaded. */
  readonly hasEarlier: boolean;
  /** Shows its own steps, or those of all below it that run or ask. */
  readonly show: (what: 'all' | 'open') => ReactNode;
}

/** "Explore: ran 12 commands, read 8 files, 1 failed": what a sub-agent did. What runs or asks is shown in any case. */
export function SubAgent({ turnId, call, steps, hasEarlier, show }: SubAgentProps) {
  const { staleSince } = useChat();
  const stale = call.status === 'running' && staleSince !== undefined;
  const [open, setOpen] = useMarked('sub-agent', turnId, [call]);
  const calls = steps.flatMap(({ call }) => (call ? [call] : []));
  const ended = calls.filter(isEnded);
  const failed = calls.filter(isFailed).length;
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <div className="steps sub-agent">
      <div className={isFailed(call) ? 'line bad' : call.status === 'running' && !stale ? 'line now' : 'line'}>
        <LineGlyph call={call} stale={stale} />
        <span className="grow">
          <button type="button" className="think" aria-expanded={open} onClick={() => setOpen(!open)}>
            <span>
              <InlineText text={lineText(call)} />
              {': '}
              {hasEarlier && 'earlier steps, '}
              {ended.length === 0 && 'no step has ended'}
              {countCalls(ended).map(({ verb, what }, index) => (
                <Fragment key={verb}>
                  {index > 0 && ', '}
                  {verb.toLowerCase()} <b>{what}</b>
                </Fragment>
              ))}
              {failed > 0 && <span className="failed">, {failed.toLocaleString()} failed</span>}
            </span>
            <Chevron size={14} aria-hidden />
          </button>
        </span>
        {'endedAt' in call && <span className="aux num">{duration(call.endedAt - call.startedAt)}</span>}
      </div>
      <div className="sub-agent-steps">
        {open && hasOutput(call) && <ToolLine call={call} />}
        {show(open ? 'all' : 'open')}
      </div>
    </div>
  );
}

/** What the agent says of it, beside its calls. */
function hasOutput(call: ToolCallState): boolean {
  if (call.status === 'completed' && call.result.toolOutput) return true;
  return call.status !== 'pendingConfirmation' && Boolean(call.output?.text);
}
