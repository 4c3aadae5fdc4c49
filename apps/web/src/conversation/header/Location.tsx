import type { SessionLocation } from '@agenthost/sessions';
import { Server, Unplug } from 'lucide-react';

/** Where a session lives that several hosts share: its machines, and the host that has it. */
export function Location({ location: { place, host, isAway } }: { readonly location: SessionLocation }) {
  if (isAway) {
    return (
      <span title={`No host of ${place} runs. The session can be read and forked.`}>
        <Unplug size={13} aria-hidden />
        {place}, away
      </span>
    );
  }
  return (
    <span className="wide" title={`Its folder is on ${place}. The host ${host} runs its agent.`}>
      <Server size={13} aria-hidden />
      {place === host?.split(' ')[0] ? host : `${place}, ${host}`}
    </span>
  );
}
