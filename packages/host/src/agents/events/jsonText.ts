/** More than this is written without line breaks: the indentation alone would be the square of the depth. */
const MAX_DEPTH = 50;
const MAX_INDENTED = 200_000;

/** A value that somebody else made, as JSON to read. Never throws. */
export function jsonText(value: unknown): string {
  try {
    const compact = JSON.stringify(value) ?? '';
    return compact.length <= MAX_INDENTED && depthOf(compact) <= MAX_DEPTH ? JSON.stringify(value, null, 2) : compact;
  } catch {
    return '(It is nested too deeply to be shown.)';
  }
}

/** At most: brackets in texts count as well. */
function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [bracket] of json.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
