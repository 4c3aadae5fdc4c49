import type { SessionTerminals } from '@agenthost/client';
import type { SharedTerminal } from '@agenthost/protocol';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { PageHost } from '../app/pagePlace.js';

/** The terminals of a session, and whether this page shows them. */
export interface PageTerminals {
  readonly api: SessionTerminals;
  readonly items: readonly SharedTerminal[];
  readonly isShown: boolean;
  readonly toggle: () => void;
}

const KEY = 'agenthost.terminalHeights';
const MAX_KEPT = 100;
const NONE: readonly SharedTerminal[] = [];

/** `undefined` where there is no host. */
export function useTerminals(host: PageHost | undefined, session: string): PageTerminals | undefined {
  const status = host?.provider.status;
  const api = useMemo(() => status?.terminalsOf(session), [status, session]);
  const [items, setItems] = useState(NONE);
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    setItems(NONE);
    const watching = api?.watch(setItems);
    return () => watching?.dispose();
  }, [api]);
  const toggle = useCallback(() => {
    setShown((before) => {
      // The focus must not be lost with the panel.
      if (before) document.querySelector<HTMLElement>('[data-composer]')?.focus();
      return !before;
    });
  }, []);
  return useMemo(() => api && { api, items, isShown, toggle }, [api, items, isShown, toggle]);
}

/** How high the panel is in a session, in pixels. */
export function readHeight(session: string): number | undefined {
  return read()[session];
}

export function keepHeight(session: string, height: number): void {
  const { [session]: _, ...others } = read();
  const kept = [...Object.entries(others), [session, height] as const].slice(-MAX_KEPT);
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(kept)));
  } catch {
    // It is forgotten with the page then.
  }
}

function read(): Readonly<Record<string, number>> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    const entries = Object.entries(stored ?? {}).filter(([, height]) => typeof height === 'number');
    return Object.fromEntries(entries) as Record<string, number>;
  } catch {
    return {};
  }
}
