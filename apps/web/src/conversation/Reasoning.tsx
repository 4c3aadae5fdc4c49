import { ChevronDown, ChevronRight, Lightbulb } from 'lucide-react';
import { useState } from 'react';
import { Markdown } from '../markdown/Markdown.js';
import { thoughtTook } from './thoughtTimes.js';

interface ReasoningProps {
  readonly id: string;
  readonly text: string;
  readonly running: boolean;
}

export function Reasoning({ id, text, running }: ReasoningProps) {
  const took = thoughtTook(id, running);
  const [open, setOpen] = useState(false);
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <div className={running ? 'line now' : 'line'}>
      <Lightbulb size={16} aria-hidden />
      <span className="grow">
        <button type="button" className="think" aria-expanded={open} onClick={() => setOpen(!open)}>
          {running
            ? 'Thinking'
            : took === undefined
              ? 'Thought'
              : `Thought for ${Math.max(1, Math.round(took / 1000))} s`}
          <Chevron size={14} aria-hidden />
        </button>
        {open && (
          <div className="thought">
            <Markdown text={text} />
          </div>
        )}
      </span>
    </div>
  );
}
