import { SeedProvider } from '../../support/storage/seedProvider.js';
import { startTestHost } from '../../support/testHost.js';
import type { FaultPlan } from './faultPlan.js';
import type { World } from './world.js';

const HOST_FILES = 'agenthost-host';

/** Sessions with a client that uses no SDK and keeps text alone, which fails the n-th call that the host makes to it. */
export async function faultySeedProvider(plan: FaultPlan): Promise<World> {
  const provider = new SeedProvider({ takesAnyId: true });
  provider.lie = (call) => {
    const fault = plan.next({ operation: call.method, path: call.params.path ?? call.params.src ?? '' });
    if (!fault) return undefined;
    const { content } = call.params;
    if (content !== undefined && fault.written !== undefined) {
      const written = content.slice(0, content.length * fault.written);
      provider.answer({ ...call, params: { ...call.params, content: written } });
    }
    return { code: 'UNKNOWN', message: `${fault.code}: injected into ${call.method}` };
  };
  return {
    async start() {
      const host = await startTestHost();
      const keeper = await provider.provide(host);
      return {
        connect: (options) => host.connect(options),
        stop: async () => {
          await host.dispose();
          await keeper.end();
        },
      };
    },
    sessionIds: async () =>
      [...provider.sessions].flatMap(([id, files]) => (files.size > 0 && id !== HOST_FILES ? [id] : [])).sort(),
    dispose: async () => {},
  };
}
