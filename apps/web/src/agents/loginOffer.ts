/** What a person needs of a log-in program's screen: a code to type elsewhere, an address to open. */
export interface LoginOffer {
  readonly code?: string;
  readonly address?: string;
}

const ADDRESS = /https?:\/\/[^\s"'`<>\\^{|}]+/g;
const MAX_ADDRESS = 4_096;
/** Groups of capital letters and digits, as in 9B2C-41F7. Not a piece of an address or of a longer word. */
const CODE = /(?<![\w/=?&.%-])[A-Z0-9]{3,8}(?:-[A-Z0-9]{3,8}){1,3}(?![\w-])/g;
/** A code stands at most so many lines below the word. */
const NEAR = 3;

/** Reads the lines of a terminal, where wrapped lines are joined. The program is not trusted: only http and https are offered. */
export function loginOffer(lines: readonly string[]): LoginOffer {
  const address = lines.flatMap((line) => [...line.matchAll(ADDRESS)].flatMap(([text]) => openable(text) ?? [])).at(-1);
  const code = lines
    .flatMap((line, index) => {
      const isNear = lines.slice(Math.max(0, index - NEAR), index + 1).some((one) => /\bcode\b/i.test(one));
      return isNear ? [...line.replaceAll(ADDRESS, ' ').matchAll(CODE)].map(([text]) => text) : [];
    })
    .at(-1);
  return { ...(code !== undefined && { code }), ...(address !== undefined && { address }) };
}

function openable(text: string): string | undefined {
  const trimmed = text.replace(/[.,;:!?)\]]+$/, '');
  if (trimmed.length > MAX_ADDRESS || !URL.canParse(trimmed)) return undefined;
  const { protocol, username, password, href } = new URL(trimmed);
  // A name before an @ can look like the host.
  const isPlain = (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
  return isPlain ? href : undefined;
}
