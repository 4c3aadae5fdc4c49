import { withArtifactTime } from '@agenthost/protocol/internal';
import { expect, it } from 'vitest';
import { connect } from '../src/connect.js';
import { CapabilityMissingError } from '../src/errors.js';
import { FakeHost } from './support/fakeHost.js';
import { flush } from './support/flush.js';

const URI = 'shell:/one';

async function opened() {
  const fake = new FakeHost();
  fake.addSession(URI);
  const host = await connect({ transport: fake.transport });
  return { fake, host, session: await host.openSession(URI) };
}

it('reports a host without artifacts as too old', async () => {
  const { host, session } = await opened();
  await expect(session.listArtifacts()).rejects.toThrow(CapabilityMissingError);
  await expect(session.artifacts().next()).rejects.toThrow(CapabilityMissingError);
  host.close();
});

it('emits once for each change of an artifact, and for nothing else', async () => {
  const { fake, host, session } = await opened();
  const heard: unknown[] = [];
  session.artifactTimes.subscribe((times) => heard.push(times));
  fake.dispatch(URI, { type: 'session/metadataChanged', metadata: withArtifactTime({}, 'plan', 5) });
  fake.dispatch(URI, { type: 'session/metadataChanged', metadata: { group: 'g' } });
  fake.dispatch(URI, { type: 'session/titleChanged', title: 'T' });
  fake.dispatch(URI, { type: 'session/metadataChanged', metadata: withArtifactTime({ plan: 5 }, 'file', 6) });
  await flush();
  expect(heard).toEqual([{ plan: 5 }, { plan: 5, file: 6 }]);
  host.close();
});
