import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { safeLine } from '../text/safeText.js';
import type { Step } from './serviceManager.js';

const run = promisify(execFile);
const STEP_MS = 90_000;
const MAX_OUTPUT_BYTES = 1 << 20;

export type StepResult =
  | { readonly outcome: 'done'; readonly output: string }
  /** `missing`: the program is not on this machine. */
  | { readonly outcome: 'failed' | 'missing'; readonly why: string };

export async function runStep({ command: [program, ...args] }: Step): Promise<StepResult> {
  try {
    const { stdout } = await run(program, args, { timeout: STEP_MS, maxBuffer: MAX_OUTPUT_BYTES });
    return { outcome: 'done', output: stdout };
  } catch (error) {
    const { code, stderr = '', message } = error as NodeJS.ErrnoException & { stderr?: string };
    if (code === 'ENOENT') return { outcome: 'missing', why: `there is no ${program} on this machine` };
    return { outcome: 'failed', why: safeLine(stderr.trim().split('\n').at(-1) || message) };
  }
}
