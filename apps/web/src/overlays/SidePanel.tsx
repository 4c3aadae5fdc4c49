import type { ReactNode } from 'react';
import { CloseButton } from '../controls/CloseButton.js';
import { Problem } from '../controls/Problem.js';
import { Dialog } from './Dialog.js';

interface SidePanelProps {
  readonly title: string;
  readonly problem?: string | undefined;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Details of a session, beside it. */
export function SidePanel({ title, problem, onClose, children }: SidePanelProps) {
  return (
    <Dialog label={title} className="tray" onClose={onClose} focusSelf>
      <div className="tray-h">
        <h2>{title}</h2>
        <span className="grow" />
        <CloseButton onClose={onClose} />
      </div>
      <div className="tray-b padded" tabIndex={0} role="region" aria-label={`${title}, contents`}>
        <Problem text={problem} />
        {children}
      </div>
    </Dialog>
  );
}
