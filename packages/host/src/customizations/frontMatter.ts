import { parse } from 'yaml';

const FENCED = /^---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)??---[ \t]*(?:\r?\n|$)/;

export interface FrontMatter {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** What stands between two lines of `---` at the beginning of a Markdown file, and the rest. Throws when that is no YAML. */
export function frontMatter(text: string): FrontMatter {
  const fenced = FENCED.exec(text);
  if (!fenced) return { fields: {}, body: text };
  const body = text.slice(fenced[0].length);
  let fields: unknown;
  try {
    fields = parse(fenced[1] ?? '', { maxAliasCount: 20, logLevel: 'error' });
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new Error(`Its front matter can't be read: ${line}`);
  }
  const isRecord = typeof fields === 'object' && fields !== null && !Array.isArray(fields);
  return { fields: isRecord ? (fields as Record<string, unknown>) : {}, body };
}

/** A text of the front matter, or nothing. */
export function textField({ fields }: FrontMatter, name: string): string | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
