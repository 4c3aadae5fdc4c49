import { describe, expect, it } from 'vitest';
import { ReplayBuffer } from '../../src/state/replayBuffer.js';

const of = (...resources: string[]) => new Set(resources);

function filled(...resources: string[]): ReplayBuffer {
  const buffer = new ReplayBuffer(0);
  resources.forEach((resource, index) => {
    buffer.add({ serverSeq: index + 1, resource, actionType: 'session/delta', json: `"${resource} ${index + 1}"` });
  });
  return buffer;
}

const texts = (buffer: ReplayBuffer, serverSeq: number, ...resources: string[]) =>
  buffer.since(serverSeq, of(...resources))?.map(({ json }) => json);

describe('ReplayBuffer', () => {
  it('[REC2] replays nothing across the end of a resource to clients that saw it before', () => {
    const buffer = filled('a', 'b', 'a');
    buffer.end('a', 4);
    buffer.add({ serverSeq: 5, resource: 'a', actionType: 'session/ready', json: '"the new a"' });
    expect([0, 3].map((seen) => texts(buffer, seen, 'b', 'a'))).toEqual([undefined, undefined]);
    expect(texts(buffer, 0, 'b')).toEqual(['"b 2"']);
    expect(texts(buffer, 4, 'a', 'b')).toEqual(['"the new a"']);
  });

  it('[REC2] remembers the last end of a resource that ended several times', () => {
    const buffer = filled('a');
    buffer.end('a', 2);
    buffer.end('b', 3);
    buffer.end('a', 4);
    expect([1, 2, 3].map((seen) => texts(buffer, seen, 'a'))).toEqual([undefined, undefined, undefined]);
    expect(texts(buffer, 4, 'a')).toEqual([]);
  });

  it('[REC2] makes clients take a snapshot that were away for longer than ends are remembered', () => {
    const buffer = filled('a', 'kept');
    buffer.end('a', 3);
    for (let n = 0; n < 1_000; n++) buffer.end(`r${n}`, 4 + n);
    expect([2, 3].map((seen) => texts(buffer, seen, 'a'))).toEqual([undefined, []]);
    expect(texts(buffer, 2, 'kept')).toBeUndefined();
    expect(texts(buffer, 3, 'kept')).toEqual([]);
  });
});
