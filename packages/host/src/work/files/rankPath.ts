/** What is looked for, in the form in which paths are compared. */
export function searchedText(query: string): string {
  return query
    .toLowerCase()
    .replaceAll('\\', '/')
    .replaceAll(/\s+/g, '')
    .replace(/^(?:\.?\/)+/, '');
}

const EXACT_NAME = 1_000;
const END_OF_PATH = 950;
const NAME_BEGINS = 900;
const SEGMENT_BEGINS = 700;
const WORD_IN_NAME = 650;
const IN_NAME = 600;
const IN_PATH = 500;
const SCATTERED_IN_NAME = 300;
const SCATTERED = 100;
/** Between one way to match and the next better one. */
const MOST_BONUS = 90;

/**
 * How well a path matches: the name first, then the beginning of a folder's name, then letters in between. 0 for not at all.
 * A folder has a slash at its end, which does not count.
 */
export function rankPath(path: string, wanted: string): number {
  const end = path.endsWith('/') ? path.length - 1 : path.length;
  const text = path.slice(0, end).toLowerCase();
  // Some characters are longer in lower case: then words are found by the text alone.
  const original = text.length === end ? path : text;
  const begin = text.lastIndexOf('/') + 1;
  const name = text.slice(begin);
  if (name === wanted) return EXACT_NAME;
  if (text.endsWith(wanted) && text.at(-wanted.length - 1) === '/') return END_OF_PATH;
  if (name.startsWith(wanted)) return NAME_BEGINS;
  const inName = name.indexOf(wanted);
  if (inName === -1) {
    const at = text.indexOf(wanted);
    if (at === 0 || text.includes(`/${wanted}`)) return SEGMENT_BEGINS;
    if (at !== -1) return IN_PATH;
    const scattered = scatter(original, text, wanted, begin);
    if (scattered !== undefined) return SCATTERED_IN_NAME + scattered;
    const anywhere = scatter(original, text, wanted, 0);
    return anywhere === undefined ? 0 : SCATTERED + anywhere;
  }
  if (text.includes(`/${wanted}`) || text.startsWith(wanted)) return SEGMENT_BEGINS;
  return isWordStart(original, begin + inName) ? WORD_IN_NAME : IN_NAME;
}

/** Finds the characters in their order, from the end, and says how well they sit; absent if one is missing. */
function scatter(path: string, text: string, wanted: string, from: number): number | undefined {
  let bonus = 0;
  let at = text.length;
  let before = -1;
  for (let index = wanted.length - 1; index >= 0; index--) {
    at = text.lastIndexOf(wanted[index] as string, at - 1);
    if (at < from) return undefined;
    if (at === before - 1) bonus += 3;
    if (isWordStart(path, at)) bonus += 5;
    before = at;
    if (at === 0 && index > 0) return undefined;
  }
  return Math.min(MOST_BONUS, bonus);
}

function isWordStart(path: string, at: number): boolean {
  if (at === 0) return true;
  const before = path[at - 1] as string;
  if ('/._- '.includes(before)) return true;
  const here = path[at] as string;
  return isUpper(here) && !isUpper(before);
}

function isUpper(character: string): boolean {
  return character !== character.toLowerCase();
}
