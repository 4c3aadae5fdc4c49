import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeviceTokens } from '../../../packages/host/src/server/access/deviceTokens.js';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { ask, eventually, follow, newSession, type SentEvent, storedEvents } from './support.js';

let host: TestHost;
let devices: DeviceTokens;
beforeAll(async () => {
  const stateDir = await temporaryFolder();
  devices = new DeviceTokens(stateDir);
  host = await startTestHost({ stateDir });
});
afterAll(() => host.dispose());

const say = (session: string, text: string) =>
  ask(host, 'POST', `/api/v1/sessions/${session}/messages`, { body: { text } });

/** The next event of that kind. */
async function next(events: AsyncGenerator<SentEvent>, kind: string): Promise<SentEvent> {
  for (;;) {
    const { value, done } = await events.next();
    if (done) throw new Error(`the stream ended before ${kind}`);
    if (value.event === kind) return value;
  }
}

describe('the events of a session', () => {
  it('come as they happen, in the order of the log, and go on after each one that was seen', async () => {
    const session = await newSession(host);
    const events = follow(host, session);
    await next(events, 'connected');
    await say(session, 'hello');
    await next(events, 'session/turnComplete');
    const all = await storedEvents(host, session);
    // From each place on, as after a cut there.
    for (const [n, { id }] of all.entries()) {
      const rest = follow(host, session, { last: id });
      await next(rest, 'connected');
      if (n < all.length - 1) expect((await rest.next()).value).toEqual(all[n + 1]);
      await rest.return(undefined);
    }
    await events.return(undefined);
  });

  it('begin with the newest where that is asked for, from a place that is told at once', async () => {
    const session = await newSession(host);
    await say(session, 'hello');
    await eventually(
      () => storedEvents(host, session),
      (all) => all.some(({ event }) => event === 'session/turnComplete'),
    );
    const events = follow(host, session, { after: 'newest' });
    const { id } = await next(events, 'connected');
    await events.return(undefined);
    await say(session, 'again');
    const { value } = await (async () => {
      const later = follow(host, session, { last: id });
      await later.next();
      const first = await later.next();
      await later.return(undefined);
      return first;
    })();
    expect(value.event).toBe('session/turnStarted');
  });

  it('end with the session, and are not there for one that is gone', async () => {
    const session = await newSession(host);
    const events = follow(host, session);
    await next(events, 'session/ready');
    await ask(host, 'DELETE', `/api/v1/sessions/${session}`);
    await next(events, 'removed');
    expect((await events.next()).done).toBe(true);
    await expect(follow(host, session).next()).rejects.toThrow('404');
  });

  it('end at once when the token is revoked', async () => {
    const session = await newSession(host);
    const token = await devices.add('phone', 'viewer');
    await eventually(
      async () => (await ask(host, 'GET', '/api/v1/agents', { token })).status,
      (status) => status === 200,
    );
    const events = follow(host, session, { token });
    await next(events, 'connected');
    const ended = next(events, 'never').catch((error: Error) => error);
    await devices.remove('phone');
    expect(await ended).toBeInstanceOf(Error);
    expect((await ask(host, 'GET', '/api/v1/sessions', { token })).status).toBe(401);
  });

  it('wait for a reader that does not read, who gets all of them later', async () => {
    const session = await newSession(host);
    const { port, hostname } = host.url;
    const headers = { authorization: `Bearer ${host.token}`, accept: 'text/event-stream' };
    const asked = request({ hostname, port, path: `/api/v1/sessions/${session}/events`, headers });
    const heard = new Promise<string>((resolve, reject) => {
      asked.on('response', (response) => {
        response.pause();
        let text = '';
        response.on('error', reject).on('data', (chunk) => {
          text += String(chunk);
          if (!text.includes('event: session/turnComplete')) return;
          asked.destroy();
          resolve(text);
        });
        // Only when far more has happened than a socket takes.
        void say(session, 'flood 3000')
          .then(() =>
            eventually(
              () => storedEvents(host, session),
              (all) => all.some(({ event }) => event === 'session/turnComplete'),
            ),
          )
          .then(() => response.resume(), reject);
      });
    });
    asked.end();
    const ids = [...(await heard).matchAll(/^id: (.*)$/gm)].map(([, id]) => id);
    const all = await storedEvents(host, session);
    expect(ids).toEqual(all.slice(0, ids.length).map(({ id }) => id));
  });
});
