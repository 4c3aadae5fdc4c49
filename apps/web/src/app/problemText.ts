/** An error as a sentence for people. Errors of lower layers are worded for programs as well: "what was refused: why". */
export function problemText(error: unknown): string {
  if (!(error instanceof Error)) return sentence(String(error));
  const words = WORDS[error.name]?.(error as Error & Details);
  // A provider's failure wraps the cause; its own text only adds which call it was.
  if (words === undefined && error.cause instanceof Error && error.name === 'ProviderFailedError')
    return problemText(error.cause);
  return sentence(words ?? error.message);
}

interface Details {
  readonly reason?: string;
  readonly error?: { readonly message: string };
}

const WORDS: Readonly<Record<string, (error: Error & Details) => string>> = {
  ActionRejectedError: ({ reason }) => `The host refused it: ${reason}`,
  SessionGoneError: () => 'This session no longer exists on the host. Copy what you need and continue in a new session',
  SessionRemadeError: () =>
    'This session was deleted and created again under its name. Your message was for the old one: look at the new one, then send it again',
  SessionCreationError: ({ error }) => `The agent did not start: ${error?.message ?? 'it gave no reason'}`,
  ConnectionLostError: () =>
    'The connection was lost before the host had answered. Check whether it was done, then try again',
  CommandTimeoutError: () => 'The host took too long to answer. Try again',
  CommandFailedError: ({ reason }) => String(reason),
};

/** A text as a sentence, without words that are repeated at its start. */
export function sentence(text: string): string {
  // Layers put the same words in front: "Internal error: Internal error: no model".
  const once = text.trim().replace(/^([^:\n]{1,80}: )\1+/, '$1');
  // "Claude Code stopped: Claude Code is not logged in".
  const trimmed = once.replace(/^([^:\n]{1,80}) stopped: (?=\1 )/, '');
  const first = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?…]$/.test(first) ? first : `${first}.`;
}
