import type { AgentInfo, AgentLogin } from '@agenthost/protocol';

/** Whether somebody has to log in before a turn works. */
export function needsLogin(login: AgentLogin | undefined): boolean {
  return login?.state === 'needed' || login?.state === 'expired';
}

/** Whether the page can offer to do it. */
export function canLogIn(login: AgentLogin | undefined): boolean {
  return login?.command !== undefined || login?.key !== undefined;
}

export function loginStateWords({ state }: AgentLogin): string {
  if (state === 'needed') return 'Log-in needed';
  if (state === 'expired') return 'Log-in expired';
  return state === 'ready' ? 'Ready' : 'Not tried yet';
}

/** The second line of an agent's row: its version and where its credential comes from. */
export function agentFacts({ availability, login }: AgentInfo): string {
  const version = availability.state === 'available' ? availability.version : undefined;
  const facts = [version, sourceWords(login)].filter((text) => text !== undefined).join(', ');
  return facts.charAt(0).toUpperCase() + facts.slice(1);
}

function sourceWords(login: AgentLogin | undefined): string | undefined {
  if (!login || login.state === 'needed') return 'installed';
  const { source, account } = login;
  if (source === 'key') return 'key kept by the host';
  if (source === 'environment') return 'key from the environment';
  if (account !== undefined) return `logged in as ${account}`;
  return source === 'own' ? 'logged in by itself' : 'installed';
}
