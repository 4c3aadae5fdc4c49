import { useState } from 'react';
import { problemText } from './problemText.js';

/** For work that is not awaited: the last error can be shown until a later attempt succeeds. */
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
