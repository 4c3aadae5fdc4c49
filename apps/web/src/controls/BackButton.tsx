import { ChevronLeft } from 'lucide-react';
import { goTo } from '../app/route.js';

/** On a phone the list is a separate page. */
export function BackButton() {
  return (
    <button
      type="button"
      className="ib phone-only"
      aria-label="Back to sessions"
      onClick={() => goTo({ view: 'start' })}
    >
      <ChevronLeft size={20} aria-hidden />
    </button>
  );
}
