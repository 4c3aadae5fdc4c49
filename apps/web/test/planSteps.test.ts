import { expect, it } from 'vitest';
import { planSteps } from '../src/composer/planSteps.js';

const states = (markdown: string) => planSteps(markdown).map(({ text, state }) => `${state}: ${text}`);

it('reads the checklist of a plan', () => {
  expect(states('# Plan\n\n- [x] Look\n- [ ] Leap (in progress)\n- [ ] Land\n\nSome words.')).toEqual([
    'done: Look',
    'current: Leap',
    'open: Land',
  ]);
});

it('takes the first open step for the current one', () => {
  expect(states('1. [X] Look\n2. [ ] Leap\n3. [ ] Land')).toEqual(['done: Look', 'current: Leap', 'open: Land']);
  expect(states('- [x] Look\n- [x] Leap')).toEqual(['done: Look', 'done: Leap']);
});

it('has no steps without a checklist, and a bounded number of them', () => {
  expect(states('Just do it.\n- like this')).toEqual([]);
  expect(states('- [ ] again\n'.repeat(10_000))).toHaveLength(200);
});
