import { describeRole, type Role, roleIncludes } from '@agenthost/protocol';
import { Eye } from 'lucide-react';
import type { ReactNode } from 'react';
import type { PageHost } from '../app/pageHosts.js';
import { useObservable } from '../app/useObservable.js';

interface RoleNoteProps {
  readonly role: Role;
  readonly needs: Role;
  /** What the role needs; shown to whoever has it. */
  readonly children: ReactNode;
  /** What is left to do for whoever has it not. */
  readonly instead?: ReactNode;
}

/** What a device may not do is not offered; the host refuses it anyway. */
export function RoleNote({ role, needs, children, instead }: RoleNoteProps) {
  if (roleIncludes(role, needs)) return children;
  return (
    <div className="composer" role="note">
      <p className="why">
        <Eye size={14} aria-hidden /> {describeRole(role)} Ask the owner of the host for a token with the role {needs}.
      </p>
      {instead}
    </div>
  );
}

export function HostRoleNote({ host, ...props }: Omit<RoleNoteProps, 'role'> & { readonly host: PageHost }) {
  return <RoleNote role={useObservable(host.role)} {...props} />;
}
