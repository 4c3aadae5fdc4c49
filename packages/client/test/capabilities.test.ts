import { scheduleWithTimer } from '@agenthost/rpc/internal';
import { expect, it } from 'vitest';
import { connect } from '../src/connect.js';
import { CommandChannel } from '../src/connection/commandChannel.js';
import type { Connection } from '../src/connection/connection.js';
import { CapabilityMissingError } from '../src/errors.js';
import type { ClientActionInput } from '../src/session/sessionInput.js';
import { FakeHost } from './support/fakeHost.js';
import { flush } from './support/flush.js';

it('sends no request that the host is too old for', async () => {
  const sent: string[] = [];
  const peer = { request: (method: string) => sent.push(method) };
  const connection = { peer, protocolVersion: 0, state: { value: { state: 'connected' } } } as unknown as Connection;
  const limits = { timeoutMs: 1_000, maxWaiting: 1, schedule: scheduleWithTimer };
  const commands = new CommandChannel({ connection, ...limits });
  await expect(commands.request('forkSession', { source: 'shell:/a', session: 'shell:/b' })).rejects.toThrow(
    CapabilityMissingError,
  );
  expect(sent).toEqual([]);
});

it('dispatches no action that the host does not know', async () => {
  const fake = new FakeHost();
  fake.addSession('shell:/one');
  const sent: string[] = [];
  const transport = async () => {
    const pipe = await fake.transport();
    const send = pipe.send.bind(pipe);
    return Object.assign(pipe, {
      send: (text: string) => {
        sent.push(text);
        send(text);
      },
    });
  };
  const host = await connect({ transport });
  const session = await host.openSession('shell:/one');
  await session.rename('known');
  const before = sent.length;
  expect(sent.at(-1)).toContain('session/titleChanged');
  const fromTheFuture = { type: 'session/teleported' } as unknown as ClientActionInput;
  await expect(session.dispatch(fromTheFuture)).rejects.toThrow(CapabilityMissingError);
  await flush();
  expect(sent.slice(before)).toEqual([]);
  host.close();
});
