import { useEffect, useState } from 'react';

/** The current time, updated every second while it is needed. */
export function useNow(wanted: boolean, every = 1000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!wanted) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [wanted, every]);
  return now;
}
