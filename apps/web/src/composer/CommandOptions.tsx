import { useEffect, useRef } from 'react';
import type { CommandList } from './useCommandList.js';

/** The agent's commands that match the typed text, above the field. */
export function CommandOptions({ id, matches, selected, choose }: CommandList) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the keys have moved
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  if (matches.length === 0) return null;
  return (
    <div className="slash" id={id} role="listbox" aria-label="Commands" ref={list}>
      {matches.map((command, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
        <div
          key={command.name}
          className="pal-i"
          id={`${id}${index}`}
          role="option"
          aria-selected={index === selected}
          tabIndex={-1}
          // The field keeps the focus, and with it a phone's keyboard.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(command)}
        >
          <span className="slash-n">/{command.name}</span>
          {command.inputHint && <span className="aux">{command.inputHint}</span>}
          <span className="aux clip grow">{command.description}</span>
        </div>
      ))}
    </div>
  );
}
