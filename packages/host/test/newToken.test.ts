import { expect, it } from 'vitest';
import { newToken } from '../src/server/access/tokenFile.js';

it('no token looks like a flag', () => {
  expect(Array.from({ length: 1_000 }, newToken).filter((token) => token.startsWith('-'))).toEqual([]);
});
