import type { SharedTerminal } from '@agenthost/protocol';
import { CircleX, SquareTerminal, X } from 'lucide-react';
import type { KeyboardEvent } from 'react';

interface TerminalTabProps {
  readonly terminal: SharedTerminal;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
  /** To the next tab, or the one before. */
  readonly onMove: (step: 1 | -1) => void;
  /** Absent for those who may not. */
  readonly onClose: (() => void) | undefined;
}

export function TerminalTab({ terminal, isSelected, onSelect, onMove, onClose }: TerminalTabProps) {
  const { title, exitCode } = terminal;
  const hasFailed = exitCode !== undefined && exitCode !== 0;
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'ArrowRight') onMove(1);
    else if (event.key === 'ArrowLeft') onMove(-1);
    else if (event.key === 'Delete') onClose?.();
    else return;
    event.preventDefault();
  };
  return (
    <span className="tab" data-selected={isSelected || undefined} role="presentation">
      <button
        type="button"
        role="tab"
        aria-selected={isSelected}
        tabIndex={isSelected ? 0 : -1}
        title={onClose && 'Delete closes it'}
        onClick={onSelect}
        onKeyDown={pressed}
      >
        {hasFailed ? (
          <CircleX size={14} className="failed" role="img" aria-label="Failed" />
        ) : (
          <SquareTerminal size={14} aria-hidden />
        )}
        <span className="clip">{title}</span>
        {exitCode !== undefined && <span className="dim">exit {exitCode}</span>}
      </button>
      {onClose && (
        <button type="button" className="x" tabIndex={-1} aria-hidden="true" title={`Close ${title}`} onClick={onClose}>
          <X size={13} aria-hidden />
        </button>
      )}
    </span>
  );
}
