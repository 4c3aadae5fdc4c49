import type { Devices } from '@agenthost/client';
import type { ListDevicesResult } from '@agenthost/protocol';
import { useCallback, useEffect, useState } from 'react';
import { problemText } from '../app/problemText.js';

/** How often the list is fetched again: devices come and go, and other owners change them. */
const LOOK_MS = 3_000;

/** The devices of a host, up to date while they are shown. */
export function useDevices(devices: Devices, wanted: boolean) {
  const [listed, setListed] = useState<ListDevicesResult>();
  const [problem, setProblem] = useState<string>();
  const [lost, setLost] = useState<string>();
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round fetches the list again
  useEffect(() => {
    if (!wanted) return;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      try {
        setListed(await devices.list({ signal: abort.signal }));
        setLost(undefined);
      } catch (error) {
        if (!abort.signal.aborted) setLost(problemText(error));
      }
      if (!abort.signal.aborted) timer = setTimeout(() => void look(), LOOK_MS);
    };
    void look();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [devices, wanted, round]);
  const attempt = useCallback((work: Promise<unknown>) => {
    work
      .then(
        () => setProblem(undefined),
        (error: unknown) => setProblem(problemText(error)),
      )
      .finally(() => setRound((count) => count + 1));
  }, []);
  return { listed, problem: problem ?? lost, attempt };
}
