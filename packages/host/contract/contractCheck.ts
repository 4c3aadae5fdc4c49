import { equal, ok } from 'node:assert/strict';
import type { SessionFs } from '@agenthost/host';
import { SessionFsFailure } from '@agenthost/host';

export interface ContractSessionFs {
  readonly fs: SessionFs;
  dispose?(): Promise<void>;
}

export interface CreateContractSessionFs {
  readonly sessionId: string;
  readonly initialCwd: string;
}

export interface ContractCheckTools {
  /** The path of a name in the session folder. */
  at(name: string): string;
  /** Uses the file system of another session, which is removed afterwards. */
  withOther(work: (other: SessionFs, at: (name: string) => string) => Promise<void>): Promise<void>;
}

/** One case of the contract; rejects when the backend violates it. */
export type ContractCheck = (fs: SessionFs, tools: ContractCheckTools) => Promise<void>;
export type ContractChecks = Readonly<Record<string, ContractCheck>>;

export async function readAllLines(fs: SessionFs, path: string, fromByte?: number): Promise<string[]> {
  const found: string[] = [];
  for await (const line of fs.readLines(path, fromByte)) found.push(line);
  return found;
}

/** `ENOENT` must be distinguished; other failures need no specific code. */
export async function failsWith(code: string, promise: Promise<unknown>): Promise<void> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  ok(error instanceof SessionFsFailure, `expected a SessionFsFailure ${code}, got ${String(error)}`);
  if (code === 'ENOENT' || error.code !== 'UNKNOWN') equal(error.code, code, error.message);
}
