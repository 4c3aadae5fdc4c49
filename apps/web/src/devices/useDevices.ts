import type { CommandOptions, Devices } from '@agenthost/client';
import { useCallback } from 'react';
import { useListed } from './useListed.js';

/** The devices of a host, up to date while they are shown. */
export function useDevices(devices: Devices, wanted: boolean) {
  const list = useCallback((options: CommandOptions) => devices.list(options), [devices]);
  return useListed(list, wanted);
}
