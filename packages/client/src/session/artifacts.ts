import {
  type Artifact,
  type ArtifactKind,
  type ArtifactTimes,
  ERROR_CODE,
  type ListArtifactsParams,
  parseSessionUri,
  type SessionState,
  type URI,
} from '@agenthost/protocol';
import { artifactTimes, artifactUri, sameValue } from '@agenthost/protocol/internal';
import type { CommandChannel, CommandOptions } from '../connection/commandChannel.js';
import { CommandFailedError } from '../errors.js';
import { derived, type Observable } from '../observable.js';
import { fetchContent } from './content.js';

export interface ListArtifactsOptions extends Omit<ListArtifactsParams, 'session'>, CommandOptions {}

export interface EachArtifactOptions extends CommandOptions {
  readonly kind?: ArtifactKind;
}

/** All of them, page by page. */
export async function* eachArtifact(
  commands: CommandChannel,
  session: URI,
  { kind, ...options }: EachArtifactOptions,
): AsyncGenerator<Artifact, void, undefined> {
  let cursor: string | undefined;
  do {
    const params = { session, ...(kind && { kind }), ...(cursor !== undefined && { cursor }) };
    const { items, nextCursor } = await commands.request('listArtifacts', params, options);
    yield* items;
    cursor = nextCursor;
  } while (cursor !== undefined);
}

/** `undefined` when the session has none. */
export async function fetchPlan(
  commands: CommandChannel,
  session: URI,
  options: CommandOptions,
): Promise<string | undefined> {
  const parts = parseSessionUri(session);
  if (!parts) return undefined;
  try {
    const uri = artifactUri({ ...parts, kind: 'plan', name: 'plan.md' });
    return (await fetchContent(commands, uri, options)).text();
  } catch (error) {
    if (error instanceof CommandFailedError && error.code === ERROR_CODE.contentNotFound) return undefined;
    throw error;
  }
}

/** The same object until one of the times changes. */
export function observeArtifactTimes(state: Observable<SessionState>): Observable<ArtifactTimes> {
  let last: ArtifactTimes = {};
  return derived(state, ({ summary }) => {
    const times = artifactTimes(summary);
    if (!sameValue(last, times)) last = times;
    return last;
  });
}
