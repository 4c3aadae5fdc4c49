// Random actions over few ids, so that random histories run into every rule: the right turn and the wrong one, known and
// unknown calls, the same message twice, ids that objects inherit.
import * as fc from 'fast-check';
import { jsonSchemaFiles } from '../../src/generate/jsonSchemas.js';
import { createSessionState } from '../../src/reducers/createSessionState.js';
import { CLIENT_ACTIONS, HOST_ACTIONS } from '../../src/schemas/actionSchemas.js';
import type { SessionAction } from '../../src/types/actions.js';
import type { SessionState } from '../../src/types/sessionState.js';

export const SESSION = 'mock:/s1';

const oneOf = <const T extends readonly string[]>(...values: T) => fc.constantFrom(...values);
const turnId = oneOf('t1', 't2');
const callId = oneOf('c1', 'c2', '10', '9', 'toString', '__proto__', 'constructor');
const partId = oneOf('p1', 'p2', 'r1', 'm1');
const requestId = oneOf('q1', 'q2', 'hasOwnProperty', '__proto__');
const messageId = oneOf('m1', 'm2', 'm3', 't1');
const optionId = oneOf('once', 'always');
const text = fc.string({ maxLength: 12 });
const author = fc.record({ clientId: oneOf('alice', 'bob'), name: text }, { requiredKeys: ['clientId'] });
const userMessage = fc.record({ text });
const error = fc.record({ errorType: oneOf('crash', 'interrupted'), message: text });
const ref = fc.record({ uri: fc.constant('mock://s1/c1'), sizeHint: fc.nat() }, { requiredKeys: ['uri'] });

const callBase = {
  toolCallId: callId,
  toolName: fc.constant('bash'),
  displayName: fc.constant('Bash'),
  invocationMessage: text,
};
const toolCall = fc.oneof(
  fc.record({
    ...callBase,
    status: fc.constant('pendingConfirmation' as const),
    confirmation: fc.record({ title: text }, { requiredKeys: [] }),
  }),
  fc.record({
    ...callBase,
    status: fc.constant('running' as const),
    confirmed: fc.record({ how: oneOf('notNeeded', 'policy') }),
  }),
);
const part = fc.oneof(
  fc.record({ kind: fc.constant('markdown' as const), id: partId, content: text }),
  fc.record({ kind: fc.constant('reasoning' as const), id: partId, content: text }),
  fc.record({ kind: fc.constant('contentRef' as const), id: partId, ref }),
  fc.record({ kind: fc.constant('steering' as const), id: messageId, userMessage }),
  fc.record({ kind: fc.constant('notice' as const), id: partId, text, severity: oneOf('info', 'warning', 'error') }),
);
const customizations = fc.array(
  fc.record({
    customization: fc.record({
      uri: oneOf('file:///a', 'file:///b'),
      displayName: text,
      kind: oneOf('skill', 'plugin'),
    }),
    enabled: fc.boolean(),
  }),
  { maxLength: 3 },
);
const commands = fc.array(fc.record({ name: oneOf('plan', 'review'), description: text }), { maxLength: 2 });
const changes = fc.array(fc.record({ uri: fc.constant('file:///a'), insertions: fc.nat(), deletions: fc.nat() }), {
  maxLength: 2,
});
const metadata = fc.dictionary(oneOf('group', 'branch', 'constructor'), fc.oneof(text, fc.constant(null)), {
  maxKeys: 2,
});

const commentId = oneOf('k1', 'k2', 'k3');
const comment = fc.record({
  id: commentId,
  path: oneOf('a.ts', 'b.ts'),
  side: oneOf('old', 'new'),
  line: fc.integer({ min: 1, max: 3 }),
  quote: text,
  text: oneOf('rename it', 'why?'),
});

const at = fc.integer({ min: 1, max: 1_000_000 });

const OF_FIELD: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  session: fc.constant(SESSION),
  at,
  turnId,
  toolCallId: callId,
  partId,
  requestId,
  optionId,
  queuedMessageId: messageId,
  by: author,
  comment,
  commentId,
  picked: oneOf('mock:/s1', 'mock:/s2'),
  comments: fc.array(commentId, { maxLength: 3 }),
  userMessage,
  error,
  ref,
  model: oneOf('small', 'large'),
  part,
  toolCall,
  request: fc.record({ requestId, kind: oneOf('permission', 'question'), title: text, message: text }),
  metadata,
  customizations,
  commands,
  changes,
  order: fc.array(messageId, { maxLength: 4 }),
  // Only pending messages and customizations have these themselves.
  id: messageId,
  uri: oneOf('file:///a', 'file:///b', 'file:///c'),
  // Set by the host alone, and only with an empty message.
  origin: fc.constant(undefined),
};

interface Schema {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly type?: string;
  readonly pattern?: string;
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

const { $defs } = jsonSchemaFiles()['types.schema.json'] as { readonly $defs: Readonly<Record<string, Schema>> };

/** What a schema allows, so that a new action is tried too; fields that rules look at have few values. */
function arbitraryOf(schema: Schema): fc.Arbitrary<unknown> {
  const { $ref, items, properties, required = [] } = schema;
  if ($ref !== undefined) return arbitraryOf($defs[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {});
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.oneOf) return fc.oneof(...schema.oneOf.map(arbitraryOf));
  if (items) return fc.array(arbitraryOf(items), { maxLength: 2 });
  if (properties) {
    const fields = Object.entries(properties).map(([name, field]) => [name, OF_FIELD[name] ?? arbitraryOf(field)]);
    return fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, {
      requiredKeys: [...required],
    });
  }
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'string') return schema.pattern === undefined ? text : oneOf('a1', 'b2');
  return fc.nat();
}

const ACTIONS = [...CLIENT_ACTIONS, ...HOST_ACTIONS].map(({ shape }) => {
  const [, name = ''] = shape.type.value.split('/');
  return arbitraryOf({ $ref: `${name.charAt(0).toUpperCase()}${name.slice(1)}Action` });
});

/** As parsed from a frame. */
export const anyAction: fc.Arbitrary<SessionAction> = fc
  .oneof(...ACTIONS)
  .map((action) => JSON.parse(JSON.stringify(action)) as SessionAction);

const turn = { session: SESSION, at: 1, turnId: 't1' } as const;

/** A ready session with the running turn `t1` and its empty text `p1`. */
export const OPENING: readonly SessionAction[] = [
  { type: 'session/ready', session: SESSION, at: 1 },
  { type: 'session/turnStarted', ...turn, userMessage: { text: 'go' } },
  { type: 'session/responsePart', ...turn, part: { kind: 'markdown', id: 'p1', content: '' } },
];

/** A history that opens a turn most of the time, so that most of it happens inside turns. */
export const history: fc.Arbitrary<SessionAction[]> = fc
  .tuple(fc.constantFrom(...Array(9).fill(OPENING), []), fc.array(anyAction, { maxLength: 60 }))
  .map(([opening, actions]) => [...opening, ...actions]);

export function newSession(): SessionState {
  return createSessionState({ resource: SESSION, provider: 'mock', createdAt: 1 });
}
