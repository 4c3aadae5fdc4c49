/** Markdown for a block of code that nothing in the text can end. */
export function fencedCode(text: string, language = ''): string {
  let length = 3;
  for (const [run] of text.matchAll(/`+/g)) length = Math.max(length, run.length + 1);
  const fence = '`'.repeat(length);
  return `${fence}${language}\n${text}\n${fence}`;
}
