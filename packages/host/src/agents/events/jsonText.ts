/** Longer values are written without line breaks: the indentation alone would be quadratic in the depth. */
const MAX_DEPTH = 50;
const MAX_INDENTED = 200_000;

/** Formats an untrusted value as readable JSON. Never throws. */
export function jsonText(value: unknown): string {
  try {
    const compact = JSON.stringify(value) ?? '';
    return compact.length <= MAX_INDENTED && depthOf(compact) <= MAX_DEPTH ? JSON.stringify(value, null, 2) : compact;
  } catch {
    return '(It is nested too deeply to be shown.)';
  }
}

/** An upper bound: brackets in texts count as well. */
function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [bracket] of json.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
