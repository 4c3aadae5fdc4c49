const VERSION = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/;

/** Whether the first of two released versions is the newer one. Versions of other forms, such as previews, never are. */
export function isNewerVersion(version: string, than: string): boolean {
  const [a, b] = [numbers(version), numbers(than)];
  if (!a || !b) return false;
  const at = a.findIndex((part, index) => part !== b[index]);
  return at >= 0 && (a[at] ?? 0) > (b[at] ?? 0);
}

function numbers(version: string): number[] | undefined {
  return VERSION.exec(version)?.slice(1).map(Number);
}
