import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

/** Descriptors that no connection gets: for the log, the sessions' files and the agents. */
const MAX_RESERVE = 256;
const RESERVE_SHARE = 0.25;

/** How many descriptors connections may use, as the limit of this process says. */
export interface DescriptorShare {
  /** Connections, at the most. */
  readonly max: number;
  /** Whether accepting this connection has left the reserve alone. */
  fits(socket: Socket): boolean;
}

export function descriptorShare(limit = descriptorLimit()): DescriptorShare {
  const max = limit - Math.min(MAX_RESERVE, Math.floor(limit * RESERVE_SHARE));
  return {
    max,
    // A new descriptor is the lowest that is free, so that its number says how many are in use, whoever uses them.
    fits: (socket) => (descriptorOf(socket) ?? 0) < max,
  };
}

/** Infinity where there is none, or it can't be known. Node raises the soft limit to the hard one as it starts. */
function descriptorLimit(): number {
  if (process.platform === 'win32') return Number.POSITIVE_INFINITY;
  try {
    const limits = readFileSync('/proc/self/limits', 'latin1');
    const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return reportedLimit();
  }
}

function reportedLimit(): number {
  const report = process.report as typeof process.report & { excludeNetwork?: boolean };
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  const soft = Number(userLimits?.open_files?.soft);
  return Number.isSafeInteger(soft) ? soft : Number.POSITIVE_INFINITY;
}

/** `undefined` where descriptors have no numbers. */
function descriptorOf(socket: Socket): number | undefined {
  const { _handle: handle } = socket as { readonly _handle?: { readonly fd?: unknown } };
  return typeof handle?.fd === 'number' && handle.fd >= 0 ? handle.fd : undefined;
}
