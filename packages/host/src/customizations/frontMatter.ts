const FENCE = /^---[ \t]*$/;
const KEY = /^(?:([\w.-]+)|"([\w .-]+)"|'([\w .-]+)')[ \t]*:(?:[ \t]+(.*))?$/;
const BLOCK = /^([|>])[+-]?\d?[+-]?(?:[ \t]+#.*)?$/;

export interface FrontMatter {
  /** A list is one text, with its items separated by commas. */
  readonly fields: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * The text between two lines of `---` at the beginning of a Markdown file, and the rest. Throws when it can't be read.
 *
 * It reads the part of YAML that front matter uses: names with texts, quoted or not, block texts and lists. Anything else is
 * refused rather than guessed, because an agent may read it differently. It is written by hand, because a full
 * YAML parser takes minutes for a kilobyte of `? ? ?`, and these files are read before the folder is trusted.
 */
export function frontMatter(text: string): FrontMatter {
  const lines = text.split(/\r?\n/);
  const end = FENCE.test(lines[0] ?? '') ? lines.findIndex((line, n) => n > 0 && FENCE.test(line)) : -1;
  if (end < 0) return { fields: {}, body: text };
  return { fields: readFields(lines.slice(1, end)), body: lines.slice(end + 1).join('\n') };
}

/** A text of the front matter, or nothing. */
export function textField({ fields }: FrontMatter, name: string): string | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return value === undefined || value.trim() === '' ? undefined : value;
}

function readFields(lines: readonly string[]): Record<string, string> {
  const fields = new Map<string, string>();
  for (let at = 0; at < lines.length; ) {
    const line = lines[at++] ?? '';
    if (/^[ \t]*(?:#.*)?$/.test(line)) continue;
    const [, plain, double, single, value = ''] = KEY.exec(line) ?? [];
    const key = plain ?? double ?? single;
    if (key === undefined) throw unreadable(line);
    if (fields.has(key)) throw new Error(`Its front matter has "${key}" twice.`);
    // Indented lines, or a list at the beginning of the line, belong to the name before them.
    const start = at;
    while (at < lines.length && /^(?:[ \t]|-[ \t]|$)/.test(lines[at] ?? '')) at++;
    fields.set(key, fieldText(value.trim(), lines.slice(start, at)));
  }
  return Object.fromEntries(fields);
}

function fieldText(value: string, inside: readonly string[]): string {
  const block = BLOCK.exec(value)?.[1];
  if (block !== undefined) return blockText(inside, block === '>');
  const lines = inside.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  if (value === '' || value.startsWith('#')) {
    return lines.every((line) => line.startsWith('- '))
      ? lines.map((line) => scalar(line.slice(2).trim())).join(', ')
      : lines.join('\n');
  }
  if (value.startsWith('[') || value.startsWith('{')) {
    const flow = [value, ...lines].join(' ');
    if (!flow.endsWith(value.startsWith('[') ? ']' : '}')) throw unreadable(value);
    return value.startsWith('[') ? flow.slice(1, -1) : flow;
  }
  // A text may continue in the next lines.
  return scalar([value, ...lines].join(' '));
}

function scalar(text: string): string {
  if (text.startsWith('"')) return quoted(/^("(?:[^"\\]|\\.)*")(?:[ \t]+#.*)?$/.exec(text)?.[1], text);
  if (text.startsWith("'")) {
    const inside = /^'((?:[^']|'')*)'(?:[ \t]+#.*)?$/.exec(text)?.[1];
    if (inside === undefined) throw unreadable(text);
    return inside.replaceAll("''", "'");
  }
  if (/^[&*!|>%@`?]/.test(text)) throw unreadable(text);
  return text.replace(/[ \t]+#.*$/, '');
}

function quoted(literal: string | undefined, text: string): string {
  try {
    return String(JSON.parse(literal ?? ''));
  } catch {
    throw unreadable(text);
  }
}

function blockText(lines: readonly string[], isFolded: boolean): string {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)?.[0].length ?? 0);
  const indent = Math.min(...indents, 1_000);
  const text = lines.map((line) => line.slice(indent)).join('\n');
  return (isFolded ? text.replace(/\n+/g, (run) => (run.length > 1 ? run.slice(1) : ' ')) : text).trimEnd();
}

function unreadable(line: string): Error {
  return new Error(`Its front matter can't be read at: ${line.trim().slice(0, 80)}`);
}
