/** In the environment of an agent's processes: the session that the agent works in. */
export const SESSION_VARIABLE = 'AGENTHOST_SESSION';

/** In a request over MCP: the session whose agent asks. It takes rights away, and never gives any. */
export const SESSION_HEADER = 'agenthost-session';
