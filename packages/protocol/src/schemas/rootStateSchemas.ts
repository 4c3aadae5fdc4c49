import * as z from 'zod';
import { MAX_ID_LENGTH, MAX_TITLE_LENGTH } from '../limits.js';
import { count } from './primitives.js';

export const installableAgent = z.object({
  sizeHint: count.exactOptional().describe('Approximate size on disk, in bytes.'),
});
export const availableAgent = z.object({
  state: z.literal('available'),
  version: z.string().exactOptional(),
  newerVersion: z
    .string()
    .exactOptional()
    .describe('Present when `updateAgent` can install this version in place of the installed one. Since version 2.'),
});
export const unavailableAgent = z.object({
  state: z.literal('unavailable'),
  reason: z.string(),
  howToFix: z.string(),
  installable: installableAgent.exactOptional().describe('Present when `installAgent` can install it.'),
});
export const installingAgent = z.object({ state: z.literal('installing') });
export const agentAvailability = z.discriminatedUnion('state', [availableAgent, unavailableAgent, installingAgent]);

export const modelInfo = z.object({
  id: z.string(),
  provider: z.string(),
  name: z.string(),
  maxContextWindow: z.number().exactOptional(),
  supportsVision: z.boolean().exactOptional(),
  policyState: z.string().exactOptional(),
});

export const agentKey = z.object({
  variable: z.string().max(MAX_ID_LENGTH).describe('The variable in which the agent gets the key.'),
  isChecked: z.boolean().describe('The host asks the vendor whether the key works before it keeps it.'),
});
export const agentLogin = z
  .object({
    state: z
      .enum(['ready', 'needed', 'expired', 'unknown'])
      .describe(
        '`ready`: a turn would work. `needed`: nobody has logged in. `expired`: there was a log-in, and it no longer works. `unknown`: nothing has tried it yet.',
      ),
    source: z
      .enum(['own', 'environment', 'key'])
      .exactOptional()
      .describe(
        "Where the agent's credential comes from: its own log-in, a variable of the host's environment, a key that the host keeps.",
      ),
    account: z.string().max(MAX_TITLE_LENGTH).exactOptional().describe('Who is logged in, as the agent says it.'),
    command: z
      .string()
      .max(MAX_TITLE_LENGTH)
      .exactOptional()
      .describe("The agent's own program that logs in, for people. Present when `beginLogin` can run it."),
    key: agentKey.exactOptional().describe('Present when `setAgentKey` can keep a key for the agent.'),
    canLogOut: z.literal(true).exactOptional().describe('Present when `logOutAgent` has something to do.'),
  })
  .describe('Whether an agent is logged in to its vendor. It holds no secret. Since version 2.');

export const agentInfo = z.object({
  provider: z.string(),
  displayName: z.string(),
  description: z.string(),
  models: z.array(modelInfo),
  supportsMultipleChats: z.boolean().exactOptional(),
  icon: z
    .string()
    .max(MAX_ID_LENGTH)
    .exactOptional()
    .describe('One of `AGENT_ICONS`. Without a name that the client knows, a default icon is shown.'),
  runsInput: z.boolean().exactOptional().describe('Input is run as it stands, and its output is the answer.'),
  availability: agentAvailability,
  login: agentLogin.exactOptional().describe('Absent for an agent that needs no log-in, and from an older host.'),
});

export const rootState = z.object({ agents: z.array(agentInfo) });
