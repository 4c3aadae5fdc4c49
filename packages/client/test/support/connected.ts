import { onTestFinished } from 'vitest';
import { connect } from '../../src/connect.js';
import type { HostClient } from '../../src/hostClient.js';
import type { HostClientOptions } from '../../src/hostClientOptions.js';
import { FakeHost } from './fakeHost.js';

/** A client on a fake host, until the end of the test. */
export async function connected(
  options: Partial<HostClientOptions> = {},
): Promise<{ fake: FakeHost; host: HostClient }> {
  const fake = new FakeHost();
  const host = await connect({ transport: fake.transport, clientId: 'me', ...options } as HostClientOptions);
  onTestFinished(() => host.close());
  return { fake, host };
}
