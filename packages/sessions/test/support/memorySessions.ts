import {
  InMemoryProvider,
  type Session,
  SessionsManagementService,
  SessionsProvidersService,
} from '../../src/index.js';

export const WORKSPACE = 'file:///src/project';

/** Providers under these names in one service. */
export function manage(
  ids: readonly string[],
  options: ConstructorParameters<typeof SessionsManagementService>[1] = {},
) {
  const registry = new SessionsProvidersService();
  const providers = ids.map((id) => new InMemoryProvider({ id, label: id.toUpperCase() }));
  const registrations = providers.map((provider) => registry.registerProvider(provider));
  const errors: unknown[] = [];
  const service = new SessionsManagementService(registry, { onError: (error) => errors.push(error), ...options });
  return { registry, providers, registrations, service, errors };
}

export function begin(provider: InMemoryProvider, workspaceUri = WORKSPACE): Promise<Session> {
  return provider.createNewSession(provider.resolveWorkspace(workspaceUri));
}

/** A session with one chat. */
export async function send(provider: InMemoryProvider, query = 'hello', workspaceUri = WORKSPACE): Promise<Session> {
  const { sessionId } = await begin(provider, workspaceUri);
  return provider.sendAndCreateChat(sessionId, { query });
}
