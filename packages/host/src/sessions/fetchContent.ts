import {
  ERROR_CODE,
  type FetchContentParams,
  type FetchContentResult,
  parseArtifactUri,
  parseContentUri,
  sessionUri,
  type URI,
} from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import type { Session } from './session.js';

/** A content or an artifact of whatever session its URI names. */
export async function fetchContent(
  open: (session: URI) => Promise<Session>,
  { uri, range }: FetchContentParams,
): Promise<FetchContentResult> {
  const parts = parseContentUri(uri) ?? parseArtifactUri(uri);
  const missing = new RpcError(ERROR_CODE.contentNotFound, `no content at ${uri.slice(0, 200)}`);
  if (!parts) throw missing;
  const session = await open(sessionUri(parts.provider, parts.sessionId)).catch((error: unknown) => {
    throw error instanceof RpcError && error.code === ERROR_CODE.sessionNotFound ? missing : error;
  });
  return 'kind' in parts ? session.artifacts.read(parts, range) : session.content.read(parts.contentId, range);
}
