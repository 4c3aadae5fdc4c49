interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/**
 * For `safeParse` of what somebody else wrote: a list stops at its first bad item. Without it, 20,000 bad items cost an issue each,
 * which takes 50 ms. zod uses it for `validate`, and its types don't show it; a test counts the issues.
 */
export const FIRST_ISSUE: object = { abortEarly: true };

/** The first problem that a schema found, as text: `params.range.limit: expected number, received string`. */
export function describeIssues(issues: readonly Issue[], root: string): string {
  const [first] = issues;
  if (!first) return `invalid ${root}`;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return `${[root, ...first.path.map(String)].join('.')}: ${first.message}${more}`;
}
