/** Black on white, whatever the colours of the terminal are: not every phone reads a code that is the other way round. */
const COLOURS = '\u001b[38;5;16;48;5;231m';
const RESET = '\u001b[0m';
/** Rows and columns of white around the code, as scanners need. */
const BORDER = 2;
/** The upper half is in the first bit. */
const BLOCKS = [' ', '▀', '▄', '█'] as const;

/** A text as lines for a terminal, two rows of the code in each; `undefined` if the terminal is too narrow. */
export async function qrCode(text: string, columns = Number.POSITIVE_INFINITY): Promise<string[] | undefined> {
  // Loaded where it is asked for: commands start fast.
  const { encode } = await import('uqr');
  const { data, size } = encode(text, { ecc: 'L', border: BORDER });
  if (size > columns) return undefined;
  return Array.from({ length: Math.ceil(size / 2) }, (_, line) => {
    const [upper = [], lower = []] = [data[2 * line], data[2 * line + 1]];
    const blocks = upper.map((isDark, column) => BLOCKS[(isDark ? 1 : 0) + (lower[column] ? 2 : 0)]);
    return `${COLOURS}${blocks.join('')}${RESET}`;
  });
}
