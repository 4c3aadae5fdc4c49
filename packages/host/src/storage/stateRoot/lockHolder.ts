/** Who has the state root, as its lock file says. */
export interface LockHolder {
  readonly pid: number;
  /** Milliseconds since 1970: when the lock was taken. */
  readonly startedAt: number;
  readonly instanceId: string;
  readonly url?: string;
  /** Where others reach it, behind a proxy say. */
  readonly publicUrl?: string;
  /** The owner's token was given as it started, so that the one in the state root is not its token. */
  readonly hasGivenToken?: true;
  /** When the process started; see `processStart`. */
  readonly processStart?: string;
  readonly machine: string;
}

/** `undefined` for what is no lock, or only a part of one. */
export function parseLockHolder(text: string): LockHolder | undefined {
  try {
    const { pid, startedAt, instanceId, machine, url, publicUrl, processStart, hasGivenToken } = JSON.parse(
      text,
    ) as Record<string, unknown>;
    // The id becomes part of a file's name.
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
