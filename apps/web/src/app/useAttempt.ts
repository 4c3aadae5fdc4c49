import { useState } from 'react';
import { problemText } from './problemText.js';

/** For work that nobody waits for: what went wrong last is there to be told, until something works. */
export function useAttempt() {
  const [problem, setProblem] = useState<string>();
  const attempt = (work: Promise<unknown>) => {
    work.then(
      () => setProblem(undefined),
      (error: unknown) => setProblem(problemText(error)),
    );
  };
  return { problem, setProblem, attempt };
}
