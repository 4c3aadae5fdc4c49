import { ACTION_INTRODUCED_IN, COMMAND_INTRODUCED_IN } from '@agenthost/protocol/internal';
import fc from 'fast-check';

const NASTY_KEYS = ['__proto__', 'constructor', 'prototype', 'toString', '', '\u0000', 'a'.repeat(300)];
const NASTY_TEXTS = [
  '',
  '\u0000',
  '\ud800',
  '../../../etc/passwd',
  'file:///etc/passwd',
  'mock:/../x',
  '__proto__',
  '\u202e',
  'x'.repeat(5_000),
  'agenthost:root',
];

const nasty = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1e308, -0, 2 ** 53, 0.5, [], {}, [[]], ...NASTY_TEXTS),
  fc.string({ maxLength: 50 }),
  fc.jsonValue({ maxDepth: 3 }),
);

function params(session: string): fc.Arbitrary<unknown> {
  const text = fc.string({ maxLength: 20 });
  const action = fc.constantFrom(...Object.keys(ACTION_INTRODUCED_IN)).chain((type) =>
    fc.record({
      type: fc.constant(type),
      session: fc.constant(session),
      at: fc.nat(),
      turnId: text,
      toolCallId: text,
      requestId: text,
      approved: fc.boolean(),
      title: text,
      model: text,
      kind: fc.constantFrom('queued', 'steering'),
      id: text,
      order: fc.array(text),
      userMessage: fc.record({ text }),
    }),
  );
  return fc.oneof(
    fc.record({
      session: fc.constant(session),
      resource: fc.constant(session),
      provider: fc.constant('mock'),
      uri: fc.constantFrom('file:///', `mock://fuzzed/x`),
      range: fc.record({ limit: fc.nat(300), offset: fc.nat(), length: fc.nat() }),
      limit: fc.nat(1_000),
      cursor: text,
      clientId: text,
      protocolVersion: fc.integer({ min: -1, max: 3 }),
      lastSeenServerSeq: fc.nat(),
      subscriptions: fc.array(text),
      turns: fc.constant([]),
      source: fc.constant(session),
    }),
    fc.record({ clientSeq: fc.nat(), action }),
  );
}

/** What would set the machine, and not the frame, on fire is left out: installing, and a provider for the files. */
const METHODS = [
  ...Object.keys(COMMAND_INTRODUCED_IN),
  'dispatchAction',
  'unsubscribe',
  'action',
  'sessionFs.readFile',
  '__proto__',
  'constructor',
].filter(
  (method) =>
    ![
      ...['installAgent', 'removeAgent', 'updateAgent', 'cancelInstall', 'beginLogin', 'setAgentKey'],
      // It would run shells.
      'createTerminal',
      ...['sessionFs.setProvider', 'addDevice'],
    ].includes(method),
);

/** Frames that are right but for one to three things: a value, a key, a depth, a byte. */
export function mutations(session: string): fc.Arbitrary<string> {
  const valid = fc.record({
    jsonrpc: fc.constant('2.0'),
    id: fc.oneof(fc.nat(), fc.string({ maxLength: 8 })),
    method: fc.constantFrom(...METHODS),
    params: params(session),
  });
  const inTree = fc.tuple(
    valid,
    fc.array(fc.tuple(fc.nat(), nasty, fc.constantFrom(...NASTY_KEYS), fc.nat(4)), { minLength: 1, maxLength: 3 }),
  );
  const changed = inTree.map(([frame, changes]) => {
    let text = JSON.stringify(frame);
    for (const [place, value, key, how] of changes) text = changeTree(text, place, value, key, how);
    return text;
  });
  const bytes = fc.tuple(valid, fc.nat(), fc.nat(), fc.string({ maxLength: 4 })).map(([frame, at, length, put]) => {
    const text = JSON.stringify(frame);
    const start = at % text.length;
    return `${text.slice(0, start)}${put}${text.slice(start + (length % 8))}`;
  });
  const deep = fc
    .integer({ min: 60, max: 3_000 })
    .map((depth) => `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'['.repeat(depth)}${']'.repeat(depth)}}`);
  const batch = fc.array(valid, { maxLength: 4 }).map((frames) => JSON.stringify(frames));
  const answers = fc.tuple(fc.nat(), nasty).map(([id, result]) => JSON.stringify({ jsonrpc: '2.0', id, result }));
  return fc.oneof(
    { weight: 6, arbitrary: changed },
    { weight: 3, arbitrary: bytes },
    deep,
    batch,
    answers,
    valid.map((frame) => JSON.stringify(frame)),
    fc.string({ maxLength: 40 }),
  );
}

function changeTree(text: string, place: number, value: unknown, key: string, how: number): string {
  let tree: unknown;
  try {
    tree = JSON.parse(text);
  } catch {
    return text;
  }
  const nodes: (Record<string, unknown> | unknown[])[] = [];
  const walk = (node: unknown) => {
    if (typeof node !== 'object' || node === null) return;
    nodes.push(node as Record<string, unknown>);
    for (const child of Object.values(node)) walk(child);
  };
  walk(tree);
  const node = nodes[place % Math.max(nodes.length, 1)];
  if (!node) return text;
  const keys = Object.keys(node);
  const chosen = keys[place % Math.max(keys.length, 1)];
  if (how === 0 && chosen !== undefined) Reflect.deleteProperty(node, chosen);
  else if (how === 1) Object.defineProperty(node, key, { value, enumerable: true, configurable: true, writable: true });
  else if (chosen !== undefined) (node as Record<string, unknown>)[chosen] = how === 2 ? tree : value;
  try {
    return JSON.stringify(tree) ?? text;
  } catch {
    return text;
  }
}
