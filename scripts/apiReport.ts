// The public API of a package as text, made from the types that the compiler emits: `npm run api` writes it to etc/, and
// test/architecture/apiReports.test.ts fails when it is out of date, so that a change of the API shows in the diff of a change.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
/** The types of zod schemas are long, and schema/ has the same as JSON Schema. */
const MAX_CONST_LINES = 40;

export interface ApiName {
  readonly name: string;
  readonly kind: 'class' | 'function' | 'const' | 'interface' | 'type' | 'reexport';
  /** The declaration without comments. */
  readonly text: string;
  /** The doc comment, without its stars. */
  readonly doc: string;
  /** The declaration file, from the root of the repository. */
  readonly file: string;
}

export interface ApiEntry {
  /** As it is imported: `@agenthost/rpc/contract`. */
  readonly specifier: string;
  readonly names: readonly ApiName[];
  /** Types that the exported ones mention and that are not exported themselves. */
  readonly hidden: readonly ApiName[];
}

interface DeclarationFile {
  readonly declarations: ReadonlyMap<string, ApiName>;
  /** Names that the file gets from another one. */
  readonly imports: ReadonlyMap<string, { readonly from: string; readonly name: string }>;
  readonly exports: ReadonlyMap<string, { readonly from: string | undefined; readonly name: string }>;
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
}

/** `packages/rpc` and so on. */
export function apiPackages(): string[] {
  return globSync('packages/*/package.json', { cwd: ROOT })
    .map((path) => dirname(path))
    .sort();
}

/** Every entry point of a package that has types. */
export function apiOf(workspace: string): readonly ApiEntry[] {
  const { name, exports } = JSON.parse(readFileSync(join(ROOT, workspace, 'package.json'), 'utf8')) as Manifest;
  const files = new Map<string, DeclarationFile>();
  const known = new Set<string>();
  return Object.entries(exports).flatMap(([path, target]) =>
    typeof target === 'string' ? [] : [entryOf(`${name}${path.slice(1)}`, join(workspace, target.types), files, known)],
  );
}

/** The report of a package: what `etc/<package>.api.md` holds. */
export function apiReport(workspace: string): string {
  const sections = apiOf(workspace).map(({ specifier, names, hidden }) => {
    const shown = names.map(({ text }) => text).join('\n\n');
    const others = hidden.length > 0 ? `\n\n// Not exported:\n\n${hidden.map(({ text }) => text).join('\n\n')}` : '';
    return `## ${specifier}\n\n${names.length} names.\n\n\`\`\`ts\n${shown}${others}\n\`\`\`\n`;
  });
  const title = workspace.slice('packages/'.length);
  return `# API of @agenthost/${title}\n\nWritten by \`npm run api\`; do not edit it.\n\n${sections.join('\n')}`;
}

/** `known`: what earlier entry points of the package have shown. */
function entryOf(specifier: string, file: string, files: Map<string, DeclarationFile>, known: Set<string>): ApiEntry {
  const names = [...read(file, files).exports.keys()].map((name) => resolve(file, name, files)).sort(byName);
  for (const one of names) known.add(`${one.file} ${one.name}`);
  const hidden: ApiName[] = [];
  for (const one of names) collectHidden(one, files, known, hidden);
  return { specifier, names, hidden: hidden.sort(byName) };
}

function collectHidden(of: ApiName, files: Map<string, DeclarationFile>, known: Set<string>, hidden: ApiName[]): void {
  if (of.kind === 'reexport') return;
  const { declarations, imports } = read(of.file, files);
  for (const [word] of of.text.matchAll(/[A-Za-z_$][\w$]*/g)) {
    if (!declarations.has(word) && !imports.has(word)) continue;
    const found = resolve(of.file, word, files);
    if (found.kind === 'reexport' || known.has(`${found.file} ${found.name}`)) continue;
    known.add(`${found.file} ${found.name}`);
    hidden.push(found);
    collectHidden(found, files, known, hidden);
  }
}

/** Follows a name through re-exports and imports to its declaration; one of another package stays a re-export. */
function resolve(file: string, name: string, files: Map<string, DeclarationFile>): ApiName {
  const { declarations, exports, imports } = read(file, files);
  const own = declarations.get(exports.get(name)?.from === undefined ? (exports.get(name)?.name ?? name) : name);
  if (own) return own.name === name ? own : { ...own, text: `${own.text}\n// exported as ${name}` };
  const next = exports.get(name)?.from ? exports.get(name) : imports.get(exports.get(name)?.name ?? name);
  if (!next?.from) throw new Error(`${file} has no declaration of ${name}`);
  if (next.from.startsWith('.')) return resolve(join(dirname(file), next.from), next.name, files);
  const text = `export { ${next.name === name ? name : `${next.name} as ${name}`} } from '${next.from}';`;
  return { name, kind: 'reexport', text, doc: '', file };
}

function read(file: string, files: Map<string, DeclarationFile>): DeclarationFile {
  const known = files.get(file);
  if (known) return known;
  const declarations = new Map<string, ApiName>();
  const imports = new Map<string, { from: string; name: string }>();
  const exports = new Map<string, { from: string | undefined; name: string }>();
  for (const { code, doc } of statements(readFileSync(join(ROOT, file), 'utf8'))) {
    const list = /^(import|export)\s(?:type\s)?\{([^}]*)\}(?:\sfrom\s'([^']+)')?;?$/.exec(code);
    if (list) {
      const from = list[3]?.replace(/\.js$/, '.d.ts');
      for (const item of (list[2] ?? '').split(',').filter((one) => one.trim() !== '')) {
        const [, name = '', as = name] = /^\s*(?:type\s+)?([\w$]+)(?:\s+as\s+([\w$]+))?\s*$/.exec(item) ?? [];
        if (list[1] === 'export') exports.set(as, { from, name });
        else imports.set(as, { from: from ?? '', name });
      }
      continue;
    }
    // Of types alone: the wire types of the protocol, which are generated, are all public.
    const types = /^export\stype\s\*\sfrom\s'([^']+)\.js'/.exec(code)?.[1];
    if (types !== undefined) {
      const from = `${types}.d.ts`;
      for (const name of read(join(dirname(file), from), files).exports.keys()) exports.set(name, { from, name });
      continue;
    }
    const head =
      /^(export\s)?(?:declare\s)?(?:abstract\s)?(class|function|const|let|interface|type|enum)\s([\w$]+)/.exec(code);
    if (!head) {
      if (/^export\s\*/.test(code)) throw new Error(`${file}: name what is exported, instead of "${code}"`);
      continue;
    }
    const [, isExported, kind = '', name = ''] = head;
    const shown = kind === 'const' ? shortened(code) : code;
    const text = [declarations.get(name)?.text, shown].filter(Boolean).join('\n');
    declarations.set(name, {
      name,
      kind: kind as ApiName['kind'],
      text,
      doc: declarations.get(name)?.doc || doc,
      file,
    });
    if (isExported) exports.set(name, { from: undefined, name });
  }
  const made = { declarations, imports, exports };
  files.set(file, made);
  return made;
}

/** The compiler indents everything but the first and last lines of a statement. */
function statements(source: string): { readonly code: string; readonly doc: string }[] {
  const found: { code: string; doc: string }[] = [];
  let doc = '';
  for (const block of source.split(/^(?=(?:\/\*\*|export|import|declare|interface|type|class|abstract)\b|\/\*\*)/m)) {
    const comment = /^\/\*\*([\s\S]*?)\*\//.exec(block)?.[1];
    const code = withoutComments(block);
    if (comment !== undefined) doc = comment.replace(/^[ \t]*\* ?/gm, '').trim();
    if (code === '') continue;
    // The members of a union may have comments at the beginning of a line.
    const last = found.at(-1);
    if (last && !/^(export|import|declare|interface|type|class|abstract)\b/.test(code)) last.code += `\n${code}`;
    else found.push({ code, doc });
    doc = '';
  }
  return found;
}

function shortened(code: string): string {
  const lines = code.split('\n');
  return lines.length > MAX_CONST_LINES ? `${lines[0]} /* ${lines.length - 2} lines */ };` : code;
}

function withoutComments(source: string): string {
  return source
    .replace(/^[ \t]*\/\*\*[\s\S]*?\*\/\n?/gm, '')
    .replace(/^[ \t]*\/\/.*\n?/gm, '')
    .replace(/^[ \t]*#private;\n/gm, '')
    .replace(/^[ \t]*private .*;\n/gm, '')
    .trim();
}

function byName(a: ApiName, b: ApiName): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
