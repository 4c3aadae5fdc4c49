import type { Role } from '@agenthost/protocol';
import { Eye } from 'lucide-react';
import type { ReactNode } from 'react';
import type { PagePlace } from '../app/pagePlace.js';
import { type GuardedOperation, permissionError } from '../app/permissionError.js';
import { useObservable } from '../app/useObservable.js';
import { useLinkNote } from '../sharing/linkNote.js';

interface RoleNoteProps {
  readonly role: Role;
  readonly operation: GuardedOperation;
  /** The controls for the operation; shown if the role allows it. */
  readonly children: ReactNode;
  /** Shown below the note if the role does not allow it. */
  readonly instead?: ReactNode;
}

/** Replaces the controls of an operation that the role does not allow by a note that says why. */
export function RoleNote({ role, operation, children, instead }: RoleNoteProps) {
  const link = useLinkNote();
  const refusal = link ?? permissionError(role, operation);
  if (refusal === undefined) return <>{children}</>;
  return (
    <div className="composer" role="note">
      <p className="why">
        <Eye size={14} aria-hidden /> {refusal}
      </p>
      {instead}
    </div>
  );
}

export function PlaceRoleNote({ place, ...props }: Omit<RoleNoteProps, 'role'> & { readonly place: PagePlace }) {
  return <RoleNote role={useObservable(place.role)} {...props} />;
}
