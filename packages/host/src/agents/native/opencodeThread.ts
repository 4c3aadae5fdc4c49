import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { OpencodeAnswer, OpencodeQuery } from './opencodeWorker.js';

export interface OpencodeSession {
  readonly id: string;
  readonly title: string | null;
  readonly directory: string | null;
  readonly updated: number | null;
  readonly messages: number | null;
}

export interface OpencodePart {
  readonly message: string;
  readonly created: number;
  /** Parsed; `null` for what is no JSON. */
  readonly data: unknown;
  readonly part: unknown;
  /** Earlier parts were not read. */
  readonly isCut: boolean;
}

/** Tests run from the sources, but a thread can load only the compiled program. */
const PROGRAM = join(import.meta.dirname.replace(/src(?=[\\/]agents[\\/]native$)/, 'dist'), 'opencodeWorker.js');

/** A database may hold anything, also what takes for ever to read. */
const MAX_MS = 10_000;

export function readDatabase(path: string, query: { readonly kind: 'sessions' }): Promise<readonly OpencodeSession[]>;
export function readDatabase(
  path: string,
  query: { readonly kind: 'parts'; readonly session: string },
): Promise<readonly OpencodePart[]>;
/** Reads in a thread that ends afterwards, in any case after ten seconds. Nothing is written. */
export function readDatabase(path: string, query: OpencodeQuery): Promise<readonly unknown[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(PROGRAM, {
      workerData: { path, query },
      name: 'opencode',
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    const timer = setTimeout(() => end(() => reject(new Error('reading it takes too long'))), MAX_MS);
    const end = (settle: () => void) => {
      clearTimeout(timer);
      settle();
      void worker.terminate();
    };
    worker.once('message', ({ rows, error }: OpencodeAnswer) =>
      end(() => (rows ? resolve(rows) : reject(new Error(error ?? 'unknown error')))),
    );
    worker.once('error', (error) => end(() => reject(error)));
    worker.once('exit', () => end(() => reject(new Error('its reader ended'))));
  });
}
