import { it } from 'vitest';
import { raceQuestions } from '../../support/push/raceQuestions.js';

it('[PUSH4] 1,000 questions raced on three devices are answered once each, and pushed to nobody who looks', {
  timeout: 600_000,
}, async () => {
  await raceQuestions(1_000, Math.random);
});
