import type { SessionCommand } from '@agenthost/protocol';
import { fittingCommands, typedCommand } from '@agenthost/sessions';
import { type KeyboardEvent, useId, useState } from 'react';

/** The commands that match the text after a slash, and the selected one. */
export function useCommandList(
  commands: readonly SessionCommand[],
  text: string,
  onChoose: (text: string) => void,
): CommandList {
  const id = useId();
  const [reached, setReached] = useState({ text: '', place: 0 });
  /** The text at which the user closed the list; with another text it is shown again. */
  const [dismissed, setDismissed] = useState<string>();
  const matches = dismissed === text ? [] : fittingCommands(commands, text);
  const selected = Math.min(reached.text === text ? reached.place : 0, matches.length - 1);
  const choose = (command: SessionCommand) => onChoose(`/${command.name} `);
  const keyDown = (event: KeyboardEvent): boolean => {
    const command = matches[selected];
    if (!command || event.shiftKey || event.altKey) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setReached({ text, place: (selected + step + matches.length) % matches.length });
    else if (event.key === 'Escape') setDismissed(text);
    // A complete command is sent, not completed.
    else if (event.key === 'Tab' || (event.key === 'Enter' && command.name.toLowerCase() !== typedCommand(text)))
      choose(command);
    else return false;
    event.preventDefault();
    return true;
  };
  return {
    id,
    matches,
    selected,
    choose,
    keyDown,
    field: matches.length > 0 ? { 'aria-controls': id, 'aria-activedescendant': `${id}${selected}` } : {},
  };
}

export interface CommandList {
  readonly id: string;
  readonly matches: readonly SessionCommand[];
  readonly selected: number;
  readonly choose: (command: SessionCommand) => void;
  /** Whether the key was for the list. */
  readonly keyDown: (event: KeyboardEvent) => boolean;
  /** Props for the text field. */
  readonly field: { readonly 'aria-controls'?: string; readonly 'aria-activedescendant'?: string };
}
