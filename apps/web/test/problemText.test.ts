import { expect, it } from 'vitest';
import { problemText } from '../src/app/problemText.js';

it.each([
  ['Internal error: Internal error: no model', 'Internal error: no model.'],
  ['Claude Code stopped: Claude Code is not logged in.', 'Claude Code is not logged in.'],
  ['a: b: c', 'A: b: c.'],
  ['it is full!', 'It is full!'],
])('%j is one sentence', (given, text) => {
  expect(problemText(new Error(given))).toBe(text);
});
