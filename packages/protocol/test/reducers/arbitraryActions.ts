// Random actions over few ids, so that random histories run into every rule: the right turn and the wrong one, known and
// unknown calls, the same message twice, ids that objects inherit.
import * as fc from 'fast-check';
import { createSessionState } from '../../src/reducers/createSessionState.js';
import type { Action, SessionAction } from '../../src/types/actions.js';
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

const at = fc.integer({ min: 1, max: 1_000_000 });
const base = { session: fc.constant(SESSION), at };
const ofTurn = { ...base, turnId };
const by = { by: author };

type Required<T extends Record<string, fc.Arbitrary<unknown>>> = (keyof T)[];
/** An action with some fields required and others there or not. */
function action<K extends Action['type'], R extends Record<string, fc.Arbitrary<unknown>>>(
  type: K,
  required: R,
  optional: Record<string, fc.Arbitrary<unknown>> = {},
): fc.Arbitrary<SessionAction> {
  const model = { type: fc.constant(type), ...required, ...optional };
  const requiredKeys = ['type', ...(Object.keys(required) as Required<R>)] as never[];
  return fc.record(model, { requiredKeys }) as unknown as fc.Arbitrary<SessionAction>;
}

/** One arbitrary for each action type; exhaustive, so that a new action is tried too. */
const ACTIONS: { readonly [K in SessionAction['type']]: fc.Arbitrary<SessionAction> } = {
  'session/ready': action('session/ready', base),
  'session/creationFailed': action('session/creationFailed', { ...base, error }),
  'session/turnStarted': action(
    'session/turnStarted',
    { ...ofTurn, userMessage },
    { ...by, queuedMessageId: messageId },
  ),
  'session/delta': action('session/delta', { ...ofTurn, partId, content: text }),
  'session/responsePart': action('session/responsePart', { ...ofTurn, part }),
  'session/reasoning': action('session/reasoning', { ...ofTurn, partId, content: text }),
  'session/toolStart': action('session/toolStart', { ...ofTurn, toolCall }),
  'session/toolUpdate': action(
    'session/toolUpdate',
    { ...ofTurn, toolCallId: callId },
    { output: text, ref, invocationMessage: text },
  ),
  'session/toolCallConfirmed': action(
    'session/toolCallConfirmed',
    { ...ofTurn, toolCallId: callId, approved: fc.boolean() },
    { ...by, optionId, editedToolInput: text, reason: text },
  ),
  'session/toolComplete': action('session/toolComplete', {
    ...ofTurn,
    toolCallId: callId,
    result: fc.record({ success: fc.boolean(), pastTenseMessage: text }),
  }),
  'session/permissionRequest': action('session/permissionRequest', {
    ...ofTurn,
    request: fc.record({ requestId, kind: oneOf('permission', 'question'), title: text, message: text }),
  }),
  'session/permissionResolved': action(
    'session/permissionResolved',
    { ...ofTurn, requestId, approved: fc.boolean() },
    { ...by, optionId, text },
  ),
  'session/turnComplete': action('session/turnComplete', ofTurn),
  'session/turnCancelled': action('session/turnCancelled', ofTurn, by),
  'session/error': action('session/error', { ...ofTurn, error }),
  'session/titleChanged': action('session/titleChanged', { ...base, title: text }, by),
  'session/usage': action('session/usage', { ...ofTurn, usage: fc.record({ inputTokens: fc.nat() }) }),
  'session/modelChanged': action('session/modelChanged', { ...base, model: oneOf('small', 'large') }, by),
  'session/modeChanged': action('session/modeChanged', base, { mode: fc.record({ id: oneOf('plan', 'act') }) }),
  'session/isReadChanged': action('session/isReadChanged', { ...base, isRead: fc.boolean() }, by),
  'session/isArchivedChanged': action('session/isArchivedChanged', { ...base, isArchived: fc.boolean() }, by),
  'session/activityChanged': action('session/activityChanged', base, { activity: text }),
  'session/changesChanged': action('session/changesChanged', { ...base, changes }),
  'session/clientsChanged': action('session/clientsChanged', { ...base, clients: fc.array(author, { maxLength: 2 }) }),
  'session/metadataChanged': action('session/metadataChanged', { ...base, metadata }),
  'session/pendingMessageSet': action(
    'session/pendingMessageSet',
    { ...base, kind: oneOf('steering', 'queued'), id: messageId, userMessage },
    by,
  ),
  'session/pendingMessageRemoved': action(
    'session/pendingMessageRemoved',
    { ...base, kind: oneOf('steering', 'queued'), id: messageId },
    by,
  ),
  'session/queuedMessagesReordered': action(
    'session/queuedMessagesReordered',
    { ...base, order: fc.array(messageId, { maxLength: 4 }) },
    by,
  ),
  'session/customizationsChanged': fc.oneof(
    action('session/customizationsChanged', { ...base, customizations }),
    action('session/customizationsChanged', { ...base, customizations, commands }),
  ),
  'session/customizationToggled': action(
    'session/customizationToggled',
    { ...base, uri: oneOf('file:///a', 'file:///b', 'file:///c'), enabled: fc.boolean() },
    by,
  ),
};

/** As parsed from a frame. */
export const anyAction: fc.Arbitrary<SessionAction> = fc
  .oneof(...Object.values(ACTIONS))
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
