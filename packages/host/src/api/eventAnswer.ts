import { type ActionEnvelope, ERROR_CODE, type URI } from '@agenthost/protocol';
import type { FetchEventsResult } from '@agenthost/protocol/internal';
import { ConnectionClosedError, RpcError } from '@agenthost/rpc';
import type { ApiCall } from './apiCall.js';
import type { StreamedAnswer } from './streamedAnswer.js';

const PAGE = 100;
/** Proxies cut what is silent for a minute. */
const HEARTBEAT_MS = 15_000;
/** Reading the log once for what comes within milliseconds. */
const GATHER_MS = 25;
/** When the other side should come back after a cut. */
const RETRY_MS = 1_000;
const CURSOR = /^\d{1,15}-\d{1,15}-\d{1,15}-[0-9a-f]{8}$/;

/**
 * What happens in a session, from its log and in the log's order: what a client has seen is told by the id of the last event, which
 * names a place in the log and counts after every cut, after a restart, and at every host.
 */
export async function sendEvents(call: ApiCall, streamed: StreamedAnswer): Promise<void> {
  const { client, session } = call;
  const { headers } = streamed.request;
  const last = headers['last-event-id'];
  const wanted = last !== undefined && last !== '' ? String(last) : (call.query['after'] as string | undefined);
  const start = wanted === 'newest' ? undefined : wanted;
  if (start !== undefined && !CURSOR.test(start)) throw notAPlace();
  const limit = (call.query['limit'] as number | undefined) ?? PAGE;
  const read = (after: string | undefined, newest = false) =>
    client.request('fetchEvents', {
      session,
      limit,
      ...(after !== undefined && { after }),
      ...(newest && { newest: true as const }),
    });
  if (!/\btext\/event-stream\b/.test(headers.accept ?? '')) {
    const page = await read(start, wanted === 'newest');
    streamed.response.writeHead(200, { 'content-type': 'application/json' }).end(`${JSON.stringify(page)}\n`);
    return;
  }
  // Before the first reading: what happens meanwhile wakes it.
  await client.request('subscribe', { resource: session, turns: 1 });
  const first = await read(start, wanted === 'newest');
  streamed.begin(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
  client.onClose(() => streamed.response.end());
  try {
    await follow(first, read, streamed, { isNewest: wanted === 'newest', turnId: call.query['turn'] });
  } catch (error) {
    await leave(error, session, streamed);
  }
  streamed.response.end();
}

async function follow(
  first: FetchEventsResult,
  read: (after: string | undefined) => Promise<FetchEventsResult>,
  streamed: StreamedAnswer,
  { isNewest, turnId }: { readonly isNewest: boolean; readonly turnId: unknown },
): Promise<void> {
  // The place is told before anything happens: whoever is cut off at once goes on from there.
  const place = isNewest && first.cursor !== undefined ? `id: ${first.cursor}\n` : '';
  await streamed.write(`retry: ${RETRY_MS}\n${place}event: connected\ndata: {}\n\n`);
  let page = first;
  let after = page.cursor;
  let quietSince = Date.now();
  while (!streamed.isOver) {
    for (const { cursor, envelope } of page.items) {
      await streamed.write(`id: ${cursor}\nevent: ${envelope.action.type}\ndata: ${JSON.stringify(envelope)}\n\n`);
      if (streamed.isOver || (turnId !== undefined && endedTurn(envelope) === turnId)) return;
    }
    if (page.items.length > 0) quietSince = Date.now();
    if (!page.hasMore) {
      await streamed.sleep(Math.max(HEARTBEAT_MS - (Date.now() - quietSince), 0));
      if (Date.now() - quietSince >= HEARTBEAT_MS) {
        await streamed.write(': still here\n\n');
        quietSince = Date.now();
      }
      await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
    }
    if (streamed.isOver) return;
    page = await read(after);
    after = page.cursor ?? after;
  }
}

function endedTurn({ action }: ActionEnvelope): string | undefined {
  const isEnd = action.type === 'session/turnComplete' || action.type === 'session/turnCancelled';
  return isEnd || action.type === 'session/error' ? action.turnId : undefined;
}

/** The session has gone, or can't be read now: whoever comes back learns which. */
async function leave(error: unknown, session: URI, streamed: StreamedAnswer): Promise<void> {
  if (error instanceof ConnectionClosedError) return;
  const isGone = error instanceof RpcError && error.code === ERROR_CODE.sessionNotFound;
  if (isGone) await streamed.write(`event: removed\ndata: ${JSON.stringify({ session })}\n\n`);
  else if (!(error instanceof RpcError)) throw error;
}

function notAPlace(): RpcError {
  const message = 'this is no place of a session: send the id of an event, or "newest"';
  return new RpcError(ERROR_CODE.invalidParams, message);
}
