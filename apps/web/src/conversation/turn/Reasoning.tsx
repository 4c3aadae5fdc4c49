import type { ReasoningPart } from '@agenthost/protocol';
import { ChevronDown, ChevronRight, Lightbulb } from 'lucide-react';
import { useState } from 'react';
import { Markdown } from '../../markdown/Markdown.js';
import { roughly } from '../times.js';

export function Reasoning({ part, running }: { readonly part: ReasoningPart; readonly running: boolean }) {
  const [open, setOpen] = useState(false);
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <div className={running ? 'line now' : 'line'}>
      <Lightbulb size={16} aria-hidden />
      <span className="grow">
        <button type="button" className="think" aria-expanded={open} onClick={() => setOpen(!open)}>
          {running ? 'Thinking' : thought(part)}
          <Chevron size={14} aria-hidden />
        </button>
        {open && (
          <div className="thought">
            <Markdown text={part.content} />
          </div>
        )}
      </span>
    </div>
  );
}

/** Older hosts keep no times. */
function thought({ startedAt, endedAt }: ReasoningPart): string {
  if (startedAt === undefined || endedAt === undefined) return 'Thought';
  return `Thought for ${roughly(Math.max(1_000, endedAt - startedAt))}`;
}
