interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** The first problem that a schema found, as text: `params.range.limit: expected number, received string`. */
export function describeIssues(issues: readonly Issue[], root: string): string {
  const [first] = issues;
  if (!first) return `invalid ${root}`;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return `${[root, ...first.path.map(String)].join('.')}: ${first.message}${more}`;
}
