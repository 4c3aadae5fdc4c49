import { ERROR_CODE, sessionUri, type URI } from '@agenthost/protocol';
import {
  type FetchContentParams,
  type FetchContentResult,
  parseArtifactUri,
  parseContentUri,
} from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import type { Session } from '../session.js';
import { noContent } from '../sessionLoader.js';

/** Reads a content or an artifact of the session that its URI names. */
export async function fetchContent(
  use: (session: URI, read: (session: Session) => Promise<FetchContentResult>) => Promise<FetchContentResult>,
  { uri, range }: FetchContentParams,
): Promise<FetchContentResult> {
  const parts = parseContentUri(uri) ?? parseArtifactUri(uri);
  if (!parts) throw noContent(uri);
  const read = ({ artifacts, content }: Session) =>
    'kind' in parts ? artifacts.read(parts, range) : content.read(parts.contentId, range);
  return use(sessionUri(parts.provider, parts.sessionId), read).catch((error: unknown) => {
    throw error instanceof RpcError && error.code === ERROR_CODE.sessionNotFound ? noContent(uri) : error;
  });
}
