import { describe, expect, it } from 'vitest';
import { wirePeer } from './support/wirePeer.js';

const parseError = { code: -32700, message: 'the frame is not JSON' };
const invalid = (message: string) => ({ code: -32600, message });
const tooDeep = invalid('the message is nested deeper than 64 levels');
const badId = invalid('id must be a string of up to 256 characters or a finite number');
const badMethod = invalid('method must be a string');
const badParams = invalid('params must be an object or an array');
const badVersion = invalid('jsonrpc must be "2.0"');
const notAnObject = invalid('a message is an object');
const batch = invalid('batches are not supported');
const unsafe = (key: string) => invalid(`the key "${key}" is not allowed`);

const call = (rest: string) => `{"jsonrpc":"2.0",${rest}}`;
const arrays = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const objects = (depth: number) => `${'{"a":'.repeat(depth)}0${'}'.repeat(depth)}`;

const table: [name: string, frame: string, id: unknown, error: object][] = [
  ['nothing', '', null, parseError],
  ['white space', ' \n ', null, parseError],
  ['not JSON', 'hello', null, parseError],
  ['cut JSON', '{"jsonrpc":"2.0","id":1,"meth', null, parseError],
  ['two messages in a frame', `${call('"method":"m"')}${call('"method":"m"')}`, null, parseError],
  ['unclosed arrays, 1,000,000 deep', '['.repeat(1_000_000), null, parseError],
  ['null', 'null', null, notAnObject],
  ['a number', '42', null, notAnObject],
  ['a string', '"hello"', null, notAnObject],
  ['true', 'true', null, notAnObject],
  ['an empty batch', '[]', null, batch],
  ['a batch', `[${call('"id":1,"method":"echo"')}]`, null, batch],
  ['an array 10,000 deep', arrays(10_000), null, batch],
  ['an array 1,000,000 deep', arrays(1_000_000), null, batch],
  ['params of arrays 10,000 deep', call(`"id":1,"method":"echo","params":${arrays(10_000)}`), 1, tooDeep],
  ['params of objects 10,000 deep', call(`"id":"x","method":"echo","params":${objects(10_000)}`), 'x', tooDeep],
  ['params of arrays 1,000,000 deep', call(`"id":1,"method":"echo","params":${arrays(1_000_000)}`), 1, tooDeep],
  ['params of objects 600,000 deep', call(`"id":1,"method":"echo","params":${objects(600_000)}`), 1, tooDeep],
  ['a notification 10,000 deep', call(`"method":"echo","params":${arrays(10_000)}`), null, tooDeep],
  ['depth in a field that nobody reads', call(`"id":1,"method":"echo","extra":${arrays(64)}`), 1, tooDeep],
  ['__proto__ at the top', call('"id":1,"method":"echo","__proto__":{}'), 1, unsafe('__proto__')],
  ['__proto__ in params', call('"id":1,"method":"echo","params":{"__proto__":{"x":1}}'), 1, unsafe('__proto__')],
  [
    '__proto__ deep in params',
    call('"id":1,"method":"echo","params":[{"a":[{"__proto__":1}]}]'),
    1,
    unsafe('__proto__'),
  ],
  ['__proto__ escaped', call('"id":1,"method":"echo","params":{"\\u005f_proto__":{}}'), 1, unsafe('__proto__')],
  ['constructor', call('"id":1,"method":"echo","params":{"constructor":{}}'), 1, unsafe('constructor')],
  ['constructor escaped', call('"id":1,"method":"echo","params":{"c\\u006fnstructor":{}}'), 1, unsafe('constructor')],
  ['prototype', call('"id":1,"method":"echo","params":{"prototype":{}}'), 1, unsafe('prototype')],
  ['an unsafe key in a notification', call('"method":"echo","params":{"prototype":{}}'), null, unsafe('prototype')],
  ['an unsafe key and a bad id', call('"id":{},"method":"echo","params":{"prototype":{}}'), null, unsafe('prototype')],
  ['no fields', '{}', null, badVersion],
  ['no jsonrpc', '{"id":1,"method":"echo"}', 1, badVersion],
  ['jsonrpc 1.0', '{"jsonrpc":"1.0","id":1,"method":"echo"}', 1, badVersion],
  ['jsonrpc as a number', '{"jsonrpc":2.0,"id":1,"method":"echo"}', 1, badVersion],
  ['an id of null', call('"id":null,"method":"echo"'), null, badId],
  ['an id of true', call('"id":true,"method":"echo"'), null, badId],
  ['an object as id', call('"id":{"a":1},"method":"echo"'), null, badId],
  ['an array as id', call('"id":[1],"method":"echo"'), null, badId],
  ['an id of infinity', call('"id":1e999,"method":"echo"'), null, badId],
  ['a long id', call(`"id":"${'i'.repeat(257)}","method":"echo"`), null, badId],
  ['no method', call('"id":1'), 1, badMethod],
  ['a number as method', call('"id":1,"method":1'), 1, badMethod],
  ['a method of null', call('"id":1,"method":null,"result":1'), 1, badMethod],
  ['a string as params', call('"id":1,"method":"echo","params":"x"'), 1, badParams],
  ['a number as params', call('"id":1,"method":"echo","params":1'), 1, badParams],
  ['params of null', call('"id":1,"method":"echo","params":null'), 1, badParams],
  ['an oversize frame', `"${'x'.repeat(4 * 1024 * 1024)}"`, null, invalid('the frame is longer than 4194304 bytes')],
  [
    'an oversize frame of multibyte text',
    `"${'€'.repeat(1_400_000)}"`,
    null,
    invalid('the frame is longer than 4194304 bytes'),
  ],
  ['a method that nobody knows', call('"id":1,"method":"nope"'), 1, { code: -32601, message: 'unknown method "nope"' }],
  [
    'a method of every object',
    call('"id":1,"method":"toString"'),
    1,
    { code: -32601, message: 'unknown method "toString"' },
  ],
  [
    'a long method',
    call(`"id":1,"method":"${'m'.repeat(1000)}"`),
    1,
    { code: -32601, message: `unknown method "${'m'.repeat(100)}…"` },
  ],
];

describe('bad input', () => {
  it.each(table)('%s is answered, and the peer continues', async (_, frame, id, error) => {
    const { receive, nextSent, answersPing, sent } = wirePeer();
    receive(frame);
    expect(await nextSent()).toEqual({ jsonrpc: '2.0', id, error });
    expect(await answersPing()).toBe(true);
    expect(sent).toEqual([]);
  });

  it('does not pollute prototypes', () => {
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it.each([
    ['an unknown id', call('"id":99,"result":1'), 'unexpectedResponse'],
    ['an id of the wrong type', call('"id":"1","result":1'), 'unexpectedResponse'],
    ['an error for an unknown id', call('"id":99,"error":{"code":1,"message":"x"}'), 'unexpectedResponse'],
    ['an error for nobody', call('"id":null,"error":{"code":-32700,"message":"x"}'), 'unexpectedResponse'],
    ['a result for nobody', call('"id":null,"result":1'), 'malformedResponse'],
    ['a result and an error', call('"id":null,"result":1,"error":1'), 'malformedResponse'],
    ['a deep result', call(`"result":${arrays(1_000_000)}`), 'malformedResponse'],
    ['an unsafe result', call('"result":{"__proto__":1}'), 'malformedResponse'],
  ])('a response with %s goes to the hook and is never answered', async (_, frame, code) => {
    const { receive, answersPing, errors } = wirePeer();
    receive(frame);
    expect(await answersPing()).toBe(true);
    expect(errors.map((error) => error.code)).toEqual([code]);
  });

  it.each([
    ['nothing valid', '"error":7'],
    ['too deep a result', `"result":${arrays(10_000)}`],
    ['an unsafe result', '"result":{"constructor":1}'],
    ['a result and an error', '"result":1,"error":{"code":1,"message":"x"}'],
  ])('a malformed response (%s) fails its request', async (_, rest) => {
    const { peer, receive, errors } = wirePeer();
    const answer = peer.request('m');
    receive(call(`"id":1,${rest}`));
    await expect(answer).rejects.toMatchObject({ name: 'LocalRpcError', code: 'malformedResponse' });
    expect(errors.map((error) => error.code)).toEqual(['malformedResponse']);
  });

  it('a response without a result resolves with undefined, because JSON drops an undefined result', async () => {
    const { peer, receive, errors, answersPing, nextSent } = wirePeer();
    const answer = peer.request('m');
    await nextSent();
    receive(call('"id":1'));
    expect(await answer).toBeUndefined();
    expect(errors).toEqual([]);
    receive(call('"id":1'));
    expect(await nextSent()).toEqual({ jsonrpc: '2.0', id: 1, error: badMethod });
    expect(await answersPing()).toBe(true);
  });
});
