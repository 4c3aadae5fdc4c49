import type { Author } from '@agenthost/protocol';

/** "you", "Mira, on iPhone", "another client". */
export function authorName(
  by: Author | undefined,
  me: ReadonlySet<string>,
): { readonly name: string; readonly device: string } {
  if (!by) return { name: 'the host', device: '' };
  if (me.has(by.clientId)) return { name: 'you', device: '' };
  return { name: by.name ?? 'another client', device: by.device ? `, on ${by.device}` : '' };
}

export function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return (
    letters
      .map((word) => [...(word ?? '')][0] ?? '')
      .join('')
      .toUpperCase() || '?'
  );
}
