import { type AuthMethod, RequestError } from '@agentclientprotocol/sdk';
import type { HostClient } from '@agenthost/client';
import type { AgentInfo } from '@agenthost/protocol';
import { CommandError, EXIT } from '../commandError.js';

/** The agent of a new thread: the one that is asked for, else the only one that is no shell. */
export function chooseAgent({ root }: HostClient, wanted: string | undefined): AgentInfo {
  const { agents } = root.state.value;
  const usable = agents.filter(({ availability }) => availability.state === 'available');
  if (wanted !== undefined) {
    const found = agents.find(({ provider }) => provider === wanted);
    if (found && usable.includes(found)) return found;
    const why = found?.availability.state === 'unavailable' ? `: ${found.availability.reason}` : '';
    throw new CommandError(EXIT.notFound, `The host has no available agent ${wanted}${why}.`, has(usable));
  }
  const [only, ...others] = usable.filter(({ runsInput }) => !runsInput);
  if (only && others.length === 0) return only;
  if (!only && usable[0]) return usable[0];
  const what = only ? 'The host has several agents.' : 'The host has no available agent.';
  throw new CommandError(EXIT.usage, what, has(usable));
}

function has(usable: readonly AgentInfo[]): string {
  if (usable.length === 0) return 'See why with agenthost doctor.';
  return `Start this with --agent and one of ${usable.map(({ provider }) => provider).join(', ')}.`;
}

/** A way to log in for each agent that needs one. */
export function loginMethods({ root }: HostClient, hasTerminal: boolean): AuthMethod[] {
  const needing = root.state.value.agents.filter(({ login }) => login && login.state !== 'ready');
  return needing.map(({ provider, displayName }) => {
    const method = {
      id: provider,
      name: `Log in to ${displayName}`,
      description: `On the host: agenthost agents login ${provider}, or on the page under Agents`,
    };
    return hasTerminal ? { ...method, type: 'terminal', args: ['agents', 'login', provider] } : method;
  });
}

export function neededLogin(provider: string): RequestError {
  const message = `Nobody is logged in to ${provider}. Run agenthost agents login ${provider}, then try again.`;
  return new RequestError(RequestError.authRequired().code, message);
}
