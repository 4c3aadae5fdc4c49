import { setImmediate as nextTick } from 'node:timers/promises';
import { SCHEMAS } from '@agenthost/protocol/schemas';
import * as z from 'zod';
import { API_ROUTES, type ApiRoute } from '../server/apiRoutes.js';
import * as apiSchemas from './apiSchemas.js';
import { OPERATIONS, type Operation } from './operations.js';

type Json = Readonly<Record<string, unknown>>;

const NAMES: readonly (readonly [string, z.ZodType])[] = [
  ...Object.entries(SCHEMAS),
  ['CreateSession', apiSchemas.createBody],
  ['ChangeSession', apiSchemas.changeBody],
  ['SendMessage', apiSchemas.messageBody],
  ['ToolCallAnswer', apiSchemas.callAnswer],
  ['RequestAnswer', apiSchemas.requestAnswer],
  ['Answer', apiSchemas.answerBody],
  ['CancelTurn', apiSchemas.cancelBody],
  ['CreatedSession', apiSchemas.createdSession],
  ['SentMessage', apiSchemas.sentMessage],
  ['Questions', apiSchemas.questions],
  ['Agents', apiSchemas.agents],
  ['Problem', apiSchemas.problem],
];

const ABOUT = `HTTP for scripts. Every route needs a token in the header \`Authorization: Bearer …\` and does what the token's role
allows, as on every other way to the host. Times are in milliseconds since 1970. Fields that are not described here may appear.`;

const KEY = `The same for each repetition of a request, and for no other: it happens once, however often it is sent. The host remembers
the newest 10,000 keys for 24 hours.`;

/** The OpenAPI document, made of the schemas that requests are checked with. */
export async function openApiDocument(version: string): Promise<string> {
  const schemas = jsonSchemas();
  // Others have their turn between the two long steps.
  await nextTick();
  const paths: Record<string, Record<string, Json>> = {};
  for (const [id, route] of Object.entries(API_ROUTES) as [keyof typeof API_ROUTES, ApiRoute][]) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(id, route, OPERATIONS[id]) };
  }
  const used = reachable(schemas, { paths, problem: { $ref: ref('Problem') } });
  const document = {
    openapi: '3.1.0',
    info: { title: 'agenthost', version, description: ABOUT, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      responses: {
        Problem: {
          description: 'Why it did not happen, and what to do.',
          content: { 'application/problem+json': { schema: { $ref: ref('Problem') } } },
        },
      },
      schemas: Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name))),
    },
  };
  return `${JSON.stringify(document)}\n`;
}

function jsonSchemas(): Readonly<Record<string, Json>> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of NAMES) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: ref, io: 'input' });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema: _, $id: __, ...schema }]) => [name, schema as Json]),
  );
}

function operation(operationId: string, route: ApiRoute, given: Operation): Json {
  const { summary, query, body, isBodyOptional, status, result, streams } = given;
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) =>
    parameter('path', name, PATH[name] ?? {}, true),
  );
  const inQuery = Object.entries(query?.shape ?? {}).map(([name, field]) => {
    const { $schema: _, ...schema } = z.toJSONSchema(field as z.ZodType, { io: 'input' });
    return parameter('query', name, schema, !(field as z.ZodType).safeParse(undefined).success && !isOptional(field));
  });
  const inHeader = [
    ...(route.method === 'GET'
      ? []
      : [parameter('header', 'Idempotency-Key', { type: 'string', maxLength: 255, description: KEY }, false)]),
    ...(streams === 'events'
      ? [
          parameter(
            'header',
            'Last-Event-ID',
            { type: 'string', description: 'The id of the last event that was seen.' },
            false,
          ),
        ]
      : []),
    ...(streams === 'content'
      ? [parameter('header', 'Range', { type: 'string', description: 'One range of bytes.' }, false)]
      : []),
  ];
  return {
    operationId,
    summary,
    parameters: [...inPath, ...inQuery, ...inHeader],
    ...(body && { requestBody: { required: !isBodyOptional, content: json(body) } }),
    responses: {
      [status]: { description: 'Done.', ...(result && { content: json(result) }), ...contentOf(streams, result) },
      ...(streams === 'content' && { 206: { description: 'The range.', content: BYTES } }),
      default: { $ref: '#/components/responses/Problem' },
    },
  };
}

const BYTES = { '*/*': { schema: { type: 'string', format: 'binary' } } };
const PATH: Readonly<Record<string, Json>> = {
  session: {
    type: 'string',
    description: 'The URI of a session, its `resource`: `shell:/s1`, or `shell:s1` without escapes.',
  },
  turnId: { type: 'string' },
};

function contentOf(streams: Operation['streams'], result: z.ZodType | undefined): Json {
  if (streams === 'content') return { content: BYTES };
  if (streams !== 'events' || !result) return {};
  const description =
    'An event has the cursor as its id, the type of the action as its name, and the envelope as its data.';
  return { content: { 'text/event-stream': { schema: { type: 'string', description } }, ...json(result) } };
}

function json(schema: z.ZodType): Json {
  const name = NAMES.find(([, known]) => known === schema)?.[0];
  if (name === undefined) throw new TypeError('a schema of the API has no name');
  return { 'application/json': { schema: { $ref: ref(name) } } };
}

function parameter(where: string, name: string, { description, ...schema }: Json, required: boolean): Json {
  return { in: where, name, required, ...(description !== undefined && { description }), schema };
}

function isOptional(field: unknown): boolean {
  return field instanceof z.ZodOptional || field instanceof z.ZodExactOptional;
}

function ref(name: string): string {
  return `#/components/schemas/${name}`;
}

/** The names of the schemas that are used, also by others of them. */
function reachable(schemas: Readonly<Record<string, Json>>, from: Json): ReadonlySet<string> {
  const used = new Set<string>();
  const waiting: unknown[] = [from];
  for (const value of waiting) {
    if (typeof value !== 'object' || value === null) continue;
    const { $ref } = value as { readonly $ref?: unknown };
    const name = typeof $ref === 'string' ? $ref.slice(ref('').length) : undefined;
    if (name !== undefined && Object.hasOwn(schemas, name) && !used.has(name)) {
      used.add(name);
      waiting.push(schemas[name]);
    }
    waiting.push(...Object.values(value));
  }
  return used;
}
