import type { Devices } from '@agenthost/client';
import type { CreatePairingResult, FetchPairingResult, Role } from '@agenthost/protocol';
import { useEffect, useRef, useState } from 'react';
import { problemText } from '../app/problemText.js';

/** How often the host is asked whether the device has come. */
const LOOK_MS = 1_000;

export interface Pairing extends CreatePairingResult {
  /** In milliseconds since 1970, by the clock of this browser. */
  readonly until: number;
}

/** A code for a device with this role, made again when the role changes; it stops working when the caller is gone. */
export function usePairing(devices: Devices, role: Role) {
  const [round, setRound] = useState(0);
  const [pairing, setPairing] = useState<Pairing>();
  const [progress, setProgress] = useState<FetchPairingResult>();
  const [problem, setProblem] = useState<string>();
  /** The code that still works. */
  const open = useRef<string>(undefined);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each round makes another code
  useEffect(() => {
    let isOver = false;
    setPairing(undefined);
    setProgress(undefined);
    const replaces = open.current;
    open.current = undefined;
    devices.createPairing({ role, ...(replaces !== undefined && { replaces }) }).then(
      (made) => {
        if (isOver) return void devices.removePairing(made.pairing).catch(() => {});
        open.current = made.pairing;
        setProblem(undefined);
        setPairing({ ...made, until: Date.now() + made.validMs });
      },
      (error: unknown) => !isOver && setProblem(problemText(error)),
    );
    return () => {
      isOver = true;
    };
  }, [devices, role, round]);

  useEffect(() => {
    if (!pairing) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const look = async () => {
      const found = await devices.fetchPairing(pairing.pairing).catch(() => undefined);
      if (isOver) return;
      if (found) setProgress(found);
      if (found?.state === 'connected' || found?.state === 'expired') open.current = undefined;
      else timer = setTimeout(() => void look(), LOOK_MS);
    };
    void look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [devices, pairing]);

  useEffect(
    () => () => {
      if (open.current !== undefined) void devices.removePairing(open.current).catch(() => {});
    },
    [devices],
  );
  return { pairing, progress, problem, makeNew: () => setRound((count) => count + 1) };
}
