import { it } from 'vitest';
import { raceQuestions } from '../../support/push/raceQuestions.js';

it('[PUSH4] 60 questions raced on three devices are answered once each, and pushed to nobody who looks', async () => {
  await raceQuestions(60, Math.random);
});
