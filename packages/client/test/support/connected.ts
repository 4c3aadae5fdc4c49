import { onTestFinished } from 'vitest';
import { connect } from '../../src/connect.js';
import type { Host } from '../../src/host.js';
import type { HostOptions } from '../../src/hostOptions.js';
import { FakeHost } from './fakeHost.js';

/** A client on a fake host, until the end of the test. */
export async function connected(options: Partial<HostOptions> = {}): Promise<{ fake: FakeHost; host: Host }> {
  const fake = new FakeHost();
  const host = await connect({ transport: fake.transport, clientId: 'me', ...options } as HostOptions);
  onTestFinished(() => host.close());
  return { fake, host };
}
