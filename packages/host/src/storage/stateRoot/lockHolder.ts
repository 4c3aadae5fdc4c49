/** The process that holds the state root, from its lock file. */
export interface LockHolder {
  readonly pid: number;
  /** Milliseconds since 1970: when the lock was taken. */
  readonly startedAt: number;
  readonly instanceId: string;
  readonly url?: string;
  /** The address for others, for example behind a proxy. */
  readonly publicUrl?: string;
  /** The owner's token was passed at the start, so the one in the state root is not used. */
  readonly hasGivenToken?: true;
  /** When the process started; see `processStart`. */
  readonly processStart?: string;
  readonly machine: string;
}

/** `undefined` for an invalid or incomplete lock. */
export function parseLockHolder(text: string): LockHolder | undefined {
  try {
    const { pid, startedAt, instanceId, machine, url, publicUrl, processStart, hasGivenToken } = JSON.parse(
      text,
    ) as Record<string, unknown>;
    // The id becomes part of a file name.
    if (typeof instanceId !== 'string' || !/^[\w-]{1,64}$/.test(instanceId)) return undefined;
    if (!Number.isSafeInteger(pid) || Number(pid) <= 0 || typeof startedAt !== 'number' || typeof machine !== 'string')
      return undefined;
    return {
      pid: pid as number,
      startedAt,
      instanceId,
      machine,
      ...(typeof url === 'string' && { url }),
      ...(typeof publicUrl === 'string' && { publicUrl }),
      ...(hasGivenToken === true && { hasGivenToken }),
      ...(typeof processStart === 'string' && { processStart }),
    };
  } catch {
    return undefined;
  }
}
