import { ERROR_CODE } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import { describeIssues } from '../describeIssues.js';

interface Schema<T> {
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: { readonly issues: Parameters<typeof describeIssues>[0] } };
}

/** Params by a schema, or the error that says which of them is wrong and how. */
export function parseParams<T>(schema: Schema<T>, params: unknown): T {
  const parsed = schema.safeParse(params ?? {});
  if (parsed.success) return parsed.data;
  throw new RpcError(ERROR_CODE.invalidParams, describeIssues(parsed.error.issues, 'params'));
}
