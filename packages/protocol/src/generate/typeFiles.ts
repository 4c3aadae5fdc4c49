import { SCHEMA_MODULES } from '../schemas/modules.js';
import { jsonSchemaFiles } from './jsonSchemas.js';

/** As much of JSON Schema as the schemas need. */
interface Schema {
  readonly description?: string;
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
}

type Requests = Readonly<Record<string, { readonly params: Schema; readonly result: Schema }>>;
type Notifications = Readonly<Record<string, Schema>>;

const LINE_LENGTH = 120;

/**
 * The files of `src/types`: the types of the schemas as plain interfaces, so that those who import them see names and comments
 * and neither load nor type-check zod. A union's order and a field's order are those of the schema.
 */
export function typeFiles(): Readonly<Record<string, string>> {
  const { 'types.schema.json': types, 'methods.json': methods } = jsonSchemaFiles();
  const { $defs } = types as { $defs: Readonly<Record<string, Schema>> };
  const modules = Object.entries(SCHEMA_MODULES).map(([module, schemas]) => {
    const names = Object.keys(schemas).sort(alphabetically);
    return [
      `${module}.ts`,
      file(
        module,
        names.map((name) => declaration(name, $defs[name] ?? {})),
      ),
    ] as const;
  });
  return {
    ...Object.fromEntries(modules),
    'methods.ts': methodsFile(methods as Readonly<Record<string, unknown>>),
    'wireTypes.ts': wireTypesFile(),
  };
}

function methodsFile(methods: Readonly<Record<string, unknown>>): string {
  const command =
    'export interface Command<Params, Result> {\n  readonly params: Params;\n  readonly result: Result;\n}';
  return file('methods', [
    command,
    requests('Commands', 'Client → host requests.', methods['clientRequests'] as Requests),
    notifications(
      'ClientNotifications',
      'Client → host notifications.',
      methods['clientNotifications'] as Notifications,
    ),
    notifications('HostNotifications', 'Host → client notifications.', methods['hostNotifications'] as Notifications),
    requests(
      'SessionFsRequests',
      'Host → client requests: the ten methods of a provided file system.',
      methods['hostRequests'] as Requests,
    ),
    requests(
      'ClientToolRequests',
      'Host → client requests to a client that offers tools.',
      methods['clientToolRequests'] as Requests,
    ),
  ]);
}

function requests(name: string, description: string, methods: Requests): string {
  const rows = Object.entries(methods).map(
    ([method, { params, result }]) => `  readonly ${key(method)}: Command<${typeOf(params)}, ${typeOf(result)}>;`,
  );
  return `${comment(description, '')}export interface ${name} {\n${rows.join('\n')}\n}`;
}

function notifications(name: string, description: string, methods: Notifications): string {
  const rows = Object.entries(methods).map(([method, params]) => `  readonly ${key(method)}: ${typeOf(params)};`);
  return `${comment(description, '')}export interface ${name} {\n${rows.join('\n')}\n}`;
}

function wireTypesFile(): string {
  const modules = Object.entries(SCHEMA_MODULES);
  const imports = modules.map(([module]) => `import type * as ${module} from './${module}.js';`).sort();
  const rows = modules.flatMap(([module, schemas]) =>
    Object.keys(schemas).map((name) => `  ${name}: ${module}.${name};`),
  );
  const description = 'Every type that crosses the wire, by name. The frozen versions are checked against it.';
  return `${HEADER}${imports.join('\n')}\n\n/** ${description} */\nexport interface WireTypes {\n${rows.sort(alphabetically).join('\n')}\n}\n`;
}

const HEADER = '// Generated from the schemas by `npm run schemas`. Do not edit.\n\n';

function file(module: string, declarations: readonly string[]): string {
  const text = declarations.join('\n\n');
  const own = Object.keys(SCHEMA_MODULES[module] ?? {});
  const code = text.replaceAll(/\/\*\*[\s\S]*?\*\//g, '').replaceAll(/'[^'\n]*'/g, '');
  const words = new Set(code.match(/\b[A-Z]\w*/g));
  const imports = Object.entries(SCHEMA_MODULES).flatMap(([from, schemas]) => {
    const names = Object.keys(schemas).filter((name) => words.has(name) && !own.includes(name));
    return names.length === 0 ? [] : [importLine(from, names.sort(alphabetically))];
  });
  return `${HEADER}${imports.length === 0 ? '' : `${imports.sort(byPath).join('\n')}\n\n`}${text}\n`;
}

function byPath(a: string, b: string): number {
  const path = (line: string) => line.slice(line.lastIndexOf('./'));
  return alphabetically(path(a), path(b));
}

function alphabetically(a: string, b: string): number {
  return a.toLowerCase() < b.toLowerCase() ? -1 : 1;
}

function importLine(module: string, names: readonly string[]): string {
  const line = `import type { ${names.join(', ')} } from './${module}.js';`;
  return line.length <= LINE_LENGTH ? line : `import type {\n  ${names.join(',\n  ')},\n} from './${module}.js';`;
}

function declaration(name: string, schema: Schema): string {
  const head = comment(schema.description, '');
  const { properties } = schema;
  if (properties && Object.keys(properties).length > 0) {
    const rows = fields(schema).map(([field, description]) => `${comment(description, '  ')}  ${field};\n`);
    return `${head}export interface ${name} {\n${rows.join('')}}`;
  }
  const line = `export type ${name} = ${typeOf(schema)};`;
  if (line.length <= LINE_LENGTH) return head + line;
  return `${head}export type ${name} =\n  | ${typeOf(schema).split(' | ').join('\n  | ')};`;
}

function fields({ properties = {}, required = [] }: Schema): (readonly [string, string | undefined])[] {
  return Object.entries(properties).map(([name, schema]) => {
    const mark = required.includes(name) ? '' : '?';
    return [`readonly ${key(name)}${mark}: ${typeOf(schema)}`, schema.description];
  });
}

function typeOf(schema: Schema): string {
  const { $ref, anyOf, oneOf = anyOf, items, properties, additionalProperties } = schema;
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1);
  if (oneOf) return oneOf.map(typeOf).join(' | ');
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  if ('const' in schema) return literal(schema.const);
  if (items) return `readonly ${(items.enum ?? items.oneOf ?? items.anyOf) ? `(${typeOf(items)})` : typeOf(items)}[]`;
  if (additionalProperties) return `Readonly<Record<string, ${typeOf(additionalProperties)}>>`;
  if (properties) {
    if (Object.keys(properties).length === 0) return 'Readonly<Record<string, never>>';
    return `{ ${fields(schema)
      .map(([field]) => field)
      .join('; ')} }`;
  }
  if (schema.type === undefined) return 'unknown';
  return [schema.type].flat().join(' | ').replace('integer', 'number');
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function key(name: string): string {
  return /^\w+$/.test(name) ? name : `'${name}'`;
}

function comment(text: string | undefined, indent: string): string {
  if (text === undefined) return '';
  const line = `${indent}/** ${text} */\n`;
  if (line.length <= LINE_LENGTH) return line;
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (`${indent} * ${last} ${word}`.length > LINE_LENGTH) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return `${indent}/**\n${lines.map((each) => `${indent} * ${each}\n`).join('')}${indent} */\n`;
}
