import { ChevronRight } from 'lucide-react';
import { useServices } from '../../app/services.js';
import { useObservable } from '../../app/useObservable.js';

/** On a phone a question covers the others, so it says how many more there are. */
export function MoreWaiting() {
  const { needsInput } = useServices();
  const more = useObservable(needsInput.count) - 1;
  if (more < 1) return null;
  return (
    <button
      type="button"
      className="btn quiet sm more-waiting phone-only"
      onClick={() => document.querySelector<HTMLElement>('[data-tray]')?.click()}
    >
      {more} more {more === 1 ? 'session needs' : 'sessions need'} you
      <ChevronRight size={14} aria-hidden />
    </button>
  );
}
