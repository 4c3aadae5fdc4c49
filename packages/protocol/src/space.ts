/** The space of a token that none was given, and of its sessions. */
export const DEFAULT_SPACE = 'default';

const NAME = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/;

/** Up to 32 lower-case letters, digits and dashes. */
export function isSpaceName(text: string): boolean {
  return NAME.test(text);
}
