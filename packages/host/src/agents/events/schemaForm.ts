import type { Form, FormChoice, FormField, FormValue, FormValues } from '@agenthost/protocol';
import {
  formDefaults,
  MAX_FORM_CHOICES,
  MAX_FORM_FIELDS,
  MAX_FORM_LENGTH,
  MAX_FORM_TEXT,
  MAX_TITLE_LENGTH,
  RESERVED_CHOICE,
} from '@agenthost/protocol/internal';
import { headAndTail, oneLine } from './boundedText.js';
import { isWireId } from './turnMemory.js';

/** Properties of a schema that are looked at. A form has far fewer. */
const MAX_PROPERTIES = 200;
const FORMATS: ReadonlySet<unknown> = new Set(['email', 'uri', 'date', 'date-time']);

type Json = Readonly<Record<string, unknown>>;
type Bounds = { readonly minLength?: number; readonly maxLength?: number };

/** A JSON Schema of an agent as a form. */
export interface SchemaForm {
  readonly form: Form;
  /** What the form does not show, for people; empty if it shows everything. */
  readonly leftOut: readonly string[];
  /** Whether an answer without any value fits the schema. */
  readonly mayBeEmpty: boolean;
  /** The answer under the names of the schema. */
  content(values: FormValues): Record<string, FormValue>;
}

interface Property {
  readonly name: string;
  readonly field: FormField;
  /** The values of the choices, by their ids. */
  readonly consts: ReadonlyMap<string, string>;
}

/**
 * The form for a schema as agents and MCP servers send it: an object with plain properties. A property that no form can show is left
 * out; `undefined`, with the reason, if it is a required one. Patterns are not applied: the agent checks those itself.
 */
export function schemaForm(schema: unknown): SchemaForm | { readonly problem: string } {
  const { properties, required } = isRecord(schema) ? schema : {};
  const names = isRecord(properties) ? Object.keys(properties) : [];
  if (names.length === 0) return { problem: 'it has no fields' };
  const needed = new Set(Array.isArray(required) ? required.slice(0, MAX_PROPERTIES) : []);
  const shown: Property[] = [];
  const leftOut: string[] = [];
  let room = MAX_FORM_LENGTH - 100;
  // Required fields first where there are too many, then in the order of the schema.
  const order = names.length <= MAX_FORM_FIELDS ? names : [...names].sort((a, b) => +needed.has(b) - +needed.has(a));
  for (const name of order.slice(0, MAX_PROPERTIES)) {
    const property = propertyOf(name, (properties as Json)[name], shown.length, needed.has(name));
    const length = property ? JSON.stringify(property.field).length + 1 : 0;
    const why = property ? (length > room || shown.length >= MAX_FORM_FIELDS ? 'too much' : undefined) : 'unknown kind';
    if (property && why === undefined) {
      shown.push(property);
      room -= length;
    } else if (needed.has(name)) return { problem: `its field ${quoted(name)} can't be shown (${why})` };
    else leftOut.push(`${quoted(name)} (${why})`);
  }
  if (names.length > MAX_PROPERTIES) {
    const hidden = order.slice(MAX_PROPERTIES);
    if (hidden.some((name) => needed.has(name))) return { problem: `it has ${names.length} fields` };
    leftOut.push(`${hidden.length} more`);
  }
  if (shown.length === 0) return { problem: 'none of its fields can be shown' };
  const form: Form = { fields: shown.map(({ field }) => field) };
  const defaults = formDefaults(form);
  return {
    form,
    leftOut,
    mayBeEmpty: form.fields.every(({ id, optional }) => optional === true || Object.hasOwn(defaults, id)),
    content: (values) => contentOf(shown, values),
  };
}

function contentOf(shown: readonly Property[], values: FormValues): Record<string, FormValue> {
  const given = shown.flatMap(({ name, field, consts }) => {
    const value = Object.hasOwn(values, field.id) ? values[field.id] : undefined;
    if (value === undefined) return [];
    const known = (id: string) => consts.get(id) ?? id;
    if (Array.isArray(value)) return [[name, value.map(known)] as const];
    return [[name, field.kind === 'choice' ? known(String(value)) : value] as const];
  });
  return Object.fromEntries(given);
}

function propertyOf(name: string, schema: unknown, index: number, isNeeded: boolean): Property | undefined {
  if (!isRecord(schema)) return undefined;
  const description = describe(schema);
  const base = {
    id: isWireId(name) ? name : `field-${index + 1}`,
    label: textOf(schema['title']) || label(name),
    ...(description && { description }),
    ...(!isNeeded && { optional: true as const }),
  };
  const plain = (field: FormField): Property => ({ name, field, consts: new Map() });
  const type = typeOf(schema['type']);
  const options = optionsOf(schema);
  if (options) {
    const { choices, consts } = options;
    const chosen = idOf(consts, schema['default']);
    return {
      name,
      consts,
      field: { kind: 'choice', ...base, choices, ...(chosen !== undefined && { default: chosen }) },
    };
  }
  if (type === 'array') {
    const items = isRecord(schema['items']) ? optionsOf(schema['items']) : undefined;
    if (!items) return undefined;
    const { choices, consts } = items;
    const wanted = Array.isArray(schema['default']) ? schema['default'].slice(0, MAX_FORM_CHOICES) : [];
    const chosen = [...new Set(wanted.flatMap((one) => idOf(consts, one) ?? []))];
    const bounds = { ...counted('min', schema['minItems']), ...counted('max', schema['maxItems']) };
    return {
      name,
      consts,
      field: { kind: 'choices', ...base, choices, ...bounds, ...(chosen.length > 0 && { default: chosen }) },
    };
  }
  const initial = schema['default'];
  if (type === 'boolean')
    return plain({ kind: 'boolean', ...base, ...(typeof initial === 'boolean' && { default: initial }) });
  if (type === 'number' || type === 'integer') {
    return plain({
      kind: 'number',
      ...base,
      ...numeric('min', schema['minimum']),
      ...numeric('max', schema['maximum']),
      ...(type === 'integer' && { integer: true as const }),
      ...numeric('default', initial),
    });
  }
  if (type !== 'string') return undefined;
  const bounds: Bounds = { ...counted('minLength', schema['minLength']), ...counted('maxLength', schema['maxLength']) };
  if (isSecret(schema)) return plain({ kind: 'secret', ...base, ...bounds });
  const format = FORMATS.has(schema['format']) ? { format: schema['format'] as 'email' } : {};
  const text = typeof initial === 'string' && initial.length <= MAX_FORM_TEXT ? { default: initial } : {};
  return plain({ kind: 'text', ...base, ...bounds, ...format, ...text });
}

/** `enum` with or without `enumNames`, `oneOf` and `anyOf` of constants. More choices than a form has are cut off. */
function optionsOf(schema: Json): { choices: FormChoice[]; consts: Map<string, string> } | undefined {
  const titled = [schema['oneOf'], schema['anyOf']].find((one) => Array.isArray(one) && one.length > 0) as unknown[];
  const named = Array.isArray(schema['enumNames']) ? schema['enumNames'] : [];
  const plain = Array.isArray(schema['enum']) ? schema['enum'].slice(0, MAX_FORM_CHOICES) : [];
  const all: unknown[] =
    titled?.slice(0, MAX_FORM_CHOICES) ?? plain.map((one, at) => ({ const: one, title: named[at] }));
  const choices: FormChoice[] = [];
  const consts = new Map<string, string>();
  for (const option of all) {
    const value = isRecord(option) ? option['const'] : undefined;
    if (!isRecord(option) || typeof value !== 'string' || [...consts.values()].includes(value)) continue;
    const isUsable = isWireId(value) && !value.startsWith(RESERVED_CHOICE) && !consts.has(value);
    const id = isUsable ? value : `choice-${choices.length + 1}`;
    if (consts.has(id)) continue;
    const description = textOf(option['description']);
    consts.set(id, value);
    choices.push({
      id,
      label: textOf(option['title']) || oneLine(value, MAX_TITLE_LENGTH) || '(empty)',
      ...(description && { description }),
    });
  }
  return choices.length === 0 ? undefined : { choices, consts };
}

function idOf(consts: ReadonlyMap<string, string>, value: unknown): string | undefined {
  return [...consts].find(([, one]) => one === value)?.[0];
}

/** Agents and MCP servers have no common word for it. */
function isSecret(schema: Json): boolean {
  const { _meta: meta } = schema;
  const marks = isRecord(meta) ? [meta, ...Object.values(meta).slice(0, 20)] : [];
  const isMarked = marks.some((mark) => isRecord(mark) && (mark['isSecret'] === true || mark['secret'] === true));
  return isMarked || schema['format'] === 'password' || schema['writeOnly'] === true;
}

/** `["string", "null"]` is a string that may be left out. */
function typeOf(type: unknown): unknown {
  return Array.isArray(type) ? type.slice(0, 5).find((one) => one !== 'null') : type;
}

function describe({ description, pattern }: Json): string {
  const expected = typeof pattern === 'string' ? `It has to match ${oneLine(pattern, MAX_TITLE_LENGTH)}` : '';
  const said = typeof description === 'string' ? headAndTail(description, MAX_FORM_TEXT / 2) : '';
  return [said, expected].filter((text) => text !== '').join('\n');
}

function label(name: string): string {
  const words = oneLine(name.slice(0, MAX_TITLE_LENGTH).replaceAll('_', ' '), MAX_TITLE_LENGTH);
  return words === '' ? '?' : words.charAt(0).toUpperCase() + words.slice(1);
}

function quoted(name: string): string {
  return `"${oneLine(name.slice(0, 100), 100)}"`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? oneLine(value.slice(0, 2 * MAX_TITLE_LENGTH), MAX_TITLE_LENGTH) : '';
}

function counted<K extends string>(key: K, value: unknown): { readonly [P in K]?: number } {
  return (Number.isSafeInteger(value) && (value as number) >= 0 ? { [key]: value } : {}) as { [P in K]?: number };
}

function numeric<K extends string>(key: K, value: unknown): { readonly [P in K]?: number } {
  return (typeof value === 'number' && Number.isFinite(value) ? { [key]: value } : {}) as { [P in K]?: number };
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
