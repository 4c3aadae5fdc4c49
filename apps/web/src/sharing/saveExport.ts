/** Text in memory; what is beyond goes into a Blob, which the browser keeps on its disk. */
const MAX_HELD = 4 * 1024 * 1024;

/** Gathers the pieces of a file and hands it to the browser's downloads. Nothing is saved when a piece fails. */
export async function saveExport(name: string, type: string, pieces: AsyncIterable<string>): Promise<void> {
  const parts: Blob[] = [];
  let held: string[] = [];
  let length = 0;
  for await (const piece of pieces) {
    held.push(piece);
    length += piece.length;
    if (length < MAX_HELD) continue;
    parts.push(new Blob(held));
    held = [];
    length = 0;
  }
  const url = URL.createObjectURL(new Blob([...parts, ...held], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download has begun by then; the bytes stay for it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
