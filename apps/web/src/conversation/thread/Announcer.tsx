import type { SessionState } from '@agenthost/protocol';
import { useEffect, useRef, useState } from 'react';
import { type Announcement, announcements } from './announcements.js';

/** Often enough to follow, and seldom enough that a stream is not searched for each word. */
const EVERY_MS = 400;
const MOST = 20;

/** Tells screen readers what is finished; the conversation itself is silent, because every word of a stream would be read. */
export function Announcer({ state }: { readonly state: SessionState }) {
  const [said, setSaid] = useState<readonly Announcement[]>([]);
  const known = useRef<Set<string>>(null);
  const latest = useRef(state);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  latest.current = state;
  useEffect(() => {
    // What was there when the conversation was opened is not news.
    known.current ??= new Set(announcements(state).map(({ key }) => key));
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      const all = announcements(latest.current);
      const fresh = all.filter(({ key }) => !known.current?.has(key));
      known.current = new Set(all.map(({ key }) => key));
      if (fresh.length > 0) setSaid((before) => [...before, ...fresh].slice(-MOST));
    }, EVERY_MS);
  }, [state]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <div className="sr" role="status" aria-live="polite" aria-atomic="false" data-announcer>
      {said.map(({ key, text }) => (
        <p key={key}>{text}</p>
      ))}
    </div>
  );
}
