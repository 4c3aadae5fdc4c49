import type { SessionLocation } from '@agenthost/sessions';
import { Unplug } from 'lucide-react';
import type { ReactNode } from 'react';

interface AwayNoteProps {
  readonly location: SessionLocation | undefined;
  /** Missing if it can't be forked. */
  readonly onFork: (() => void) | undefined;
  /** The composer; shown unless the machines of the session are away. */
  readonly children: ReactNode;
}

/** Replaces the composer of a session whose machines are away by a note that says why. What was written is kept. */
export function AwayNote({ location, onFork, children }: AwayNoteProps) {
  if (!location?.isAway) return <>{children}</>;
  return (
    <div className="composer" role="note">
      <p className="why">
        <Unplug size={14} aria-hidden /> Its machine {location.place} is away: read on, or fork it to go on elsewhere.
      </p>
      {onFork && (
        <button type="button" className="btn plain" onClick={onFork}>
          Fork the session
        </button>
      )}
    </div>
  );
}
