const MAX_LENGTH = 80;
/** Names that mean a device on Windows, with any ending. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/** A title as the name of a file that every system takes: an agent's title may be a path, an ending, or nothing that can be seen. */
export function exportFileName(title: string, ending: 'md' | 'json'): string {
  const plain = title
    .normalize('NFKC')
    // Letters, marks and digits of any script; all else separates words. So there is no dot, no slash, no hidden character.
    .replace(/[^\p{L}\p{M}\p{N}_]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  const short = [...plain].slice(0, MAX_LENGTH).join('').replace(/-+$/, '');
  return `${short === '' || DEVICE.test(short) ? 'session' : short}.${ending}`;
}
