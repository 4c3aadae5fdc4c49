const ESC = '\\u001b';
/** Strings that a terminal takes as commands: titles, clipboard, links, device controls. A log-in needs none of them. */
const STRING = new RegExp(
  `(?:${ESC}[\\]PX^_]|[\\u009d\\u0090\\u0098\\u009e\\u009f])[^\\u0007\\u001b\\u009c]*(?:\\u0007|${ESC}\\\\|\\u009c)`,
  'g',
);
const UNFINISHED = new RegExp(
  `(?:${ESC}(?:[\\]PX^_][^\\u0007\\u001b\\u009c]*${ESC}?)?|[\\u009d\\u0090\\u0098\\u009e\\u009f][^\\u0007\\u001b\\u009c]*${ESC}?)$`,
);
/** What is longer without an end is dropped. */
const MAX_HELD = 4_096;

/** Passes on what a program of another machine prints, except for strings with which it could reach beyond its own screen. */
export function withoutStrings(): (data: string) => string {
  let held = '';
  return (data) => {
    const text = (held + data).replaceAll(STRING, '');
    const rest = UNFINISHED.exec(text)?.[0] ?? '';
    held = rest.length <= MAX_HELD ? rest : rest.slice(0, 2);
    return text.slice(0, text.length - rest.length);
  };
}
