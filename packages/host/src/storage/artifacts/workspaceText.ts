import { jsonValues } from '@agenthost/rpc/internal';
import { parse } from 'yaml';

const MAX_LENGTH = 8 * 1024 * 1024;
const MAX_VALUES = 262_144;

// What earlier versions wrote is read with `yaml`, whose time grows with a power of the nesting. These are far above what they wrote.
const MAX_YAML_LENGTH = 8 * 1024;
const MAX_YAML_INDENT = 160;
const MAX_YAML_MARKS = 64;
const MAX_YAML_MARKS_OF_LINE = 8;
const MAX_YAML_KEY_MARKS = 3;

const LINE = /^("(?:[^"\\]|\\.)*"|[\w-]+): (.*)$/;
/** What opens something nested, at a place where it can. `[]` and `{}` open nothing. */
const MARK = /(?<=^|[\s[{])(?:[?-](?=\s|$)|\[(?!\])|\{(?!\})|[&*!])/g;

/** One line of YAML for each key, with its value as JSON, which is YAML as well: both are read and written fast, whatever they hold. */
export function workspaceText(content: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(content).flatMap(([key, value]) => {
    const json = JSON.stringify(value) as string | undefined;
    return json === undefined ? [] : [`${/^[\w-]+$/.test(key) ? key : JSON.stringify(key)}: ${json}\n`];
  });
  return lines.join('');
}

/** Throws for what can't be read, and for what no host has written and would take long. */
export function parseWorkspaceText(text: string): unknown {
  if (text.length > MAX_LENGTH || jsonValues(text, MAX_VALUES) > MAX_VALUES) throw new Error('it is too large');
  const lines = text.split('\n');
  return parseLines(lines) ?? parseYaml(text, lines);
}

/** `undefined` where a line is not one of `workspaceText`. */
function parseLines(lines: readonly string[]): Record<string, unknown> | undefined {
  const entries: [string, unknown][] = [];
  for (const line of lines) {
    if (line === '') continue;
    const [, key = '', json = ''] = LINE.exec(line) ?? [];
    try {
      entries.push([key.startsWith('"') ? (JSON.parse(key) as string) : key, JSON.parse(json)]);
    } catch {
      return undefined;
    }
  }
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

function parseYaml(text: string, lines: readonly string[]): unknown {
  if (text.length > MAX_YAML_LENGTH) throw new Error('it is too large');
  let [marks, keyMarks] = [0, 0];
  for (const line of lines) {
    const found = line.match(MARK) ?? [];
    marks += found.filter((mark) => mark !== '-').length;
    keyMarks += found.filter((mark) => mark === '?').length;
    const isDeep = line.search(/[^ ]|$/) > MAX_YAML_INDENT || found.length > MAX_YAML_MARKS_OF_LINE;
    if (isDeep || marks > MAX_YAML_MARKS || keyMarks > MAX_YAML_KEY_MARKS) throw new Error('it is nested too deeply');
  }
  // Looking for keys that occur twice costs the square of their number.
  return parse(text, { uniqueKeys: false, prettyErrors: false });
}
