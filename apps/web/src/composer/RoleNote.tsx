import type { Role } from '@agenthost/protocol';
import { Eye } from 'lucide-react';
import type { ReactNode } from 'react';
import type { PagePlace } from '../app/pagePlace.js';
import { useObservable } from '../app/useObservable.js';
import { type Deed, whyNot } from '../app/whyNot.js';

interface RoleNoteProps {
  readonly role: Role;
  readonly deed: Deed;
  /** The controls, shown if the role allows it. */
  readonly children: ReactNode;
  /** What remains if the role doesn't allow it. */
  readonly instead?: ReactNode;
}

/** Controls that the role doesn't allow are not offered; a note says why. */
export function RoleNote({ role, deed, children, instead }: RoleNoteProps) {
  const refusal = whyNot(role, deed);
  if (refusal === undefined) return children;
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
