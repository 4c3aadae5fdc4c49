import { ERROR_CODE } from '@agenthost/protocol';
import type { ErrorData } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import { AgentLoginError } from '../../agents/login/agentLogins.js';
import type { CommandHandlers } from '../commandHandlers.js';
import type { HostServices } from '../hostServices.js';

type LoginCommand = 'beginLogin' | 'sendToLogin' | 'endLogin' | 'checkLogin' | 'setAgentKey' | 'logOutAgent';

const ON_MACHINES =
  'this host shares its sessions with others, and log-ins belong to machines: run "agenthost agents login" on its machine';

const CODES: { readonly [W in AgentLoginError['why']]: number } = {
  notPossible: ERROR_CODE.notFound,
  unknownLogin: ERROR_CODE.notFound,
  busy: ERROR_CODE.alreadyExists,
  keyRefused: ERROR_CODE.permissionDenied,
};

/** Log-ins to agents. The role table lets only owners send these. */
export function createLoginHandlers({ logins, agents, isShared }: HostServices): Pick<CommandHandlers, LoginCommand> {
  return {
    beginLogin: (params, client) =>
      change(params.provider, async () => ({ login: await logins.begin(client, params) })),
    sendToLogin: ({ login, ...input }, client) => {
      try {
        logins.send(client, login, input);
        return null;
      } catch (error) {
        throw answered(error);
      }
    },
    endLogin: async ({ login }, client) => {
      await logins.end(client, login).catch((error: unknown) => {
        throw answered(error);
      });
      return null;
    },
    checkLogin: ({ provider }) =>
      change(provider, async () => {
        const login = await logins.check(provider);
        return login ? { login } : {};
      }),
    setAgentKey: ({ provider, key }) =>
      change(provider, async () => ({ isChecked: await logins.setKey(provider, key) })),
    logOutAgent: ({ provider }) =>
      change(provider, async () => {
        await logins.logOut(provider);
        return null;
      }),
  };

  async function change<T>(provider: string, work: () => Promise<T>): Promise<T> {
    if (isShared) throw new RpcError(ERROR_CODE.permissionDenied, ON_MACHINES);
    if (!agents.get(provider)) throw new RpcError(ERROR_CODE.noAgentForProvider, `no agent for provider ${provider}`);
    return work().catch((error: unknown) => {
      throw answered(error);
    });
  }
}

/** What failed in another way is an error of the host, which says nothing of what was sent. */
function answered(error: unknown): unknown {
  if (!(error instanceof AgentLoginError)) return error;
  const data: ErrorData = { code: error.why };
  return new RpcError(CODES[error.why], error.message, { data });
}
