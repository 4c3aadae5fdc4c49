/** Values of a git configuration by `section.subsection.key`, in lower case where git ignores case. The last of several counts. */
export type GitConfig = ReadonlyMap<string, string>;

const HEADER = /^\s*\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/;
const VARIABLE = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$/;

/** Parses a configuration. It ignores `include` and lines that it does not understand. */
export function parseGitConfig(text: string): GitConfig {
  const values = new Map<string, string>();
  let prefix = '';
  for (const line of text.replace(/\r\n/g, '\n').replace(/\\\n/g, '').split('\n')) {
    const header = HEADER.exec(line);
    if (header) {
      const [, section = '', subsection] = header;
      const name = subsection?.replace(/\\(.)/g, '$1');
      prefix = name === undefined ? section.toLowerCase() : `${section.toLowerCase()}.${name}`;
    }
    const rest = header ? line.slice(header[0].length) : line;
    const [, key, value = 'true'] = VARIABLE.exec(rest) ?? [];
    if (key !== undefined && prefix !== '') values.set(`${prefix}.${key.toLowerCase()}`, unquoted(value));
  }
  return values;
}

/** Names of the subsections of a section that have that key, in the order of the file. */
export function subsectionsWith(config: GitConfig, section: string, key: string): string[] {
  const [start, end] = [`${section}.`, `.${key}`];
  return [...config.keys()]
    .filter((name) => name.startsWith(start) && name.endsWith(end) && name.length > start.length + end.length)
    .map((name) => name.slice(start.length, -end.length));
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b' };

/** The value up to a comment, without quotes, escapes and trailing spaces. */
function unquoted(value: string): string {
  let [text, isQuoted, kept] = ['', false, 0];
  for (let i = 0; i < value.length; i++) {
    const character = value[i] as string;
    if (character === '\\') {
      const next = value[++i] ?? '';
      text += ESCAPES[next] ?? next;
      kept = text.length;
    } else if (character === '"') {
      isQuoted = !isQuoted;
      kept = text.length;
    } else if (!isQuoted && (character === '#' || character === ';')) {
      break;
    } else {
      text += character;
      if (isQuoted || !/\s/.test(character)) kept = text.length;
    }
  }
  return text.slice(0, kept);
}
