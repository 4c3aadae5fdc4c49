/** What stands for a name that may hold more than a name. */
export const OTHER_NAME = '_OTHER';

/** The name of a tool as agents report it. One with spaces, slashes or dots may be a sentence, a path or a file. */
export function toolName(given: string): string {
  return /^[A-Za-z][\w-]{0,63}$/.test(given) ? given : OTHER_NAME;
}

/** `gpt-5`, `anthropic/claude-opus`; no path of a model on this machine. */
export function modelName(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  return /^\w[\w:@+.-]{0,63}(?:\/\w[\w:@+.-]{0,63})?$/.test(given) && !given.includes(':/') ? given : OTHER_NAME;
}

/** The kinds of errors that the host gives itself; agents may put anything there. */
export function errorType(given: string | undefined): string {
  return given !== undefined && /^[a-z][A-Za-z]{0,39}$/.test(given) ? given : OTHER_NAME;
}
