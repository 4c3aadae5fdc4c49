/** What has no caller to be told to goes where the platform shows such things: a listener that throws, say. */
export function reportFailure(error: unknown): void {
  const { reportError } = globalThis as { reportError?: (error: unknown) => void };
  if (reportError) reportError(error);
  else console.error(error);
}
