import type { ToolCallState } from '@agenthost/protocol';
import { Check, CircleSlash, CircleX, FileText, Pause } from 'lucide-react';
import { useState } from 'react';
import { useFile } from '../../files/filesContext.js';
import { StatusGlyph } from '../../glyphs/StatusGlyph.js';
import { useChat } from '../chatContext.js';
import { InlineText } from '../InlineText.js';
import { clock, duration } from '../times.js';
import { OutputText } from './OutputText.js';

interface ToolLineProps {
  readonly call: ToolCallState;
  /** Shown at its end. */
  readonly note?: string;
  /** Shows how long it took. */
  readonly timed?: boolean;
}

/** A tool call in one line, in the present and then the past tense. */
export function ToolLine({ call, note, timed = false }: ToolLineProps) {
  const { staleSince } = useChat();
  const [open, setOpen] = useState(false);
  const stale = call.status === 'running' && staleSince !== undefined;
  const failed = call.status === 'completed' && !call.result.success;
  const output = call.status === 'pendingConfirmation' ? undefined : call.output;
  const text = call.status === 'completed' ? (call.result.toolOutput ?? output?.text) : output?.text;
  const line = <InlineText text={lineText(call)} />;
  return (
    <div className={failed ? 'line bad' : call.status === 'running' && !stale ? 'line now' : 'line'}>
      <LineGlyph call={call} stale={stale} />
      <span className="grow">
        {text ? (
          <button type="button" className="think" aria-expanded={open} onClick={() => setOpen(!open)}>
            <span>{line}</span>
          </button>
        ) : (
          line
        )}
        {open && text && <OutputText text={text} output={output} of={lineText(call)} />}
      </span>
      <FileOf line={lineText(call)} />
      {call.clientName !== undefined && <span className="aux">tool of {call.clientName}</span>}
      {note !== undefined && <span className="aux num">{note}</span>}
      {timed && 'endedAt' in call && <span className="aux num">{duration(call.endedAt - call.startedAt)}</span>}
      {stale && <span className="aux num">last heard {clock(staleSince, true)}</span>}
    </div>
  );
}

/** Opens the first file that a line names. */
function FileOf({ line }: { readonly line: string }) {
  const file = useFile(/`([^`\n]+)`/.exec(line)?.[1] ?? line.split(/\s+/).find((word) => word.includes('/')));
  if (file?.type !== 'file') return null;
  return (
    <button
      type="button"
      className="ib sm"
      aria-label={`Open ${file.found}`}
      title={`Open ${file.found}`}
      onClick={file.open}
    >
      <FileText size={13} aria-hidden />
    </button>
  );
}

export function LineGlyph({ call, stale }: { readonly call: ToolCallState; readonly stale: boolean }) {
  if (stale) return <Pause size={16} role="img" aria-label="Not known" />;
  if (call.status === 'running') return <StatusGlyph status="running" />;
  if (call.status === 'cancelled') return <CircleSlash size={16} role="img" aria-label="Stopped" />;
  if (call.status === 'completed' && !call.result.success) return <CircleX size={16} role="img" aria-label="Failed" />;
  return <Check size={16} role="img" aria-label="Done" />;
}

export function lineText(call: ToolCallState): string {
  if (call.status === 'completed') {
    const { success, pastTenseMessage, error } = call.result;
    const why = !success && error && !pastTenseMessage.includes(error.message) ? `: ${error.message}` : '';
    return `${pastTenseMessage}${why}`;
  }
  if (call.status === 'cancelled' && call.cancelled === 'turnEnded') return `Stopped: ${call.invocationMessage}`;
  return call.invocationMessage;
}
