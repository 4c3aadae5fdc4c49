import { ChevronDown, ChevronRight, Lightbulb } from 'lucide-react';
import { useState } from 'react';
import { Markdown } from '../markdown/Markdown.js';

export function Reasoning({ text, running }: { readonly text: string; readonly running: boolean }) {
  const [open, setOpen] = useState(false);
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <div className={running ? 'line now' : 'line'}>
      <Lightbulb size={16} aria-hidden />
      <span className="grow">
        <button type="button" className="think" aria-expanded={open} onClick={() => setOpen(!open)}>
          {running ? 'Thinking' : 'Thought'}
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
