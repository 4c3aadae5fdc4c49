import { setTimeout as delay } from 'node:timers/promises';

export interface Asked {
  readonly token?: string;
  readonly key?: string;
  readonly body?: object;
  /** Instead of a body. */
  readonly raw?: string | Buffer<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly type: string | null;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what came is compared, not used
  readonly json: any;
}

interface Address {
  readonly url: URL;
  readonly token: string;
}

/** One request with the owner's token, or another one. */
export async function ask(host: Address, method: string, path: string, asked: Asked = {}): Promise<Answered> {
  const { token = host.token, key, body, raw = body && JSON.stringify(body), headers } = asked;
  const response = await fetch(new URL(path, host.url), {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(raw !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
      ...headers,
    },
    ...(raw !== undefined && { body: raw }),
  });
  const type = response.headers.get('content-type');
  const text = await response.text();
  const isJson = /^application\/(problem\+)?json/.test(type ?? '');
  return {
    status: response.status,
    headers: response.headers,
    type,
    text,
    json: isJson ? JSON.parse(text) : undefined,
  };
}

/** The id of a new session of the mock agent, as it stands in an address. */
export async function newSession(host: Address): Promise<string> {
  const { json } = await ask(host, 'POST', '/api/v1/sessions', { body: { provider: 'mock' } });
  return encodeURIComponent(json.session);
}

/** Asks until it fits. */
export async function eventually<T>(look: () => Promise<T>, fits: (found: T) => boolean): Promise<T> {
  const signal = AbortSignal.timeout(10_000);
  for (;;) {
    const found = await look();
    if (fits(found)) return found;
    await delay(5, undefined, { signal });
  }
}

export interface SentEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

interface FollowOptions {
  readonly token?: string;
  readonly last?: string | undefined;
  readonly after?: string;
  readonly signal?: AbortSignal;
}

/** The events of a session as they come over one connection. It ends, or throws, when the connection does. */
export async function* follow(
  host: Address,
  session: string,
  { token = host.token, last, after, signal }: FollowOptions = {},
): AsyncGenerator<SentEvent> {
  const url = new URL(`/api/v1/sessions/${session}/events${after === undefined ? '' : `?after=${after}`}`, host.url);
  const headers = {
    accept: 'text/event-stream',
    authorization: `Bearer ${token}`,
    ...(last !== undefined && { 'last-event-id': last }),
  };
  const response = await fetch(url, { headers, ...(signal && { signal }) });
  if (response.status !== 200 || !response.body) throw new Error(`${response.status} ${await response.text()}`);
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      const event = fields.get('event');
      if (event !== undefined) yield { id: fields.get('id'), event, data: fields.get('data') ?? '' };
    }
  }
}

/** The whole log of a session, a page at a time. */
export async function storedEvents(host: Address, session: string): Promise<SentEvent[]> {
  const all: SentEvent[] = [];
  for (let after = '', hasMore = true; hasMore; ) {
    const { json } = await ask(
      host,
      'GET',
      `/api/v1/sessions/${session}/events?limit=500${after && `&after=${after}`}`,
    );
    for (const { cursor, envelope } of json.items)
      all.push({ id: cursor, event: envelope.action.type, data: JSON.stringify(envelope) });
    after = json.cursor ?? '';
    hasMore = json.hasMore;
  }
  return all;
}
