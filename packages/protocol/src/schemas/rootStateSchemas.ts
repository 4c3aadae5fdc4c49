import * as z from 'zod';
import { MAX_ID_LENGTH } from '../limits.js';
import { count } from './primitives.js';

export const installableAgent = z.object({
  sizeHint: count.exactOptional().describe('Approximate size on disk, in bytes.'),
});
export const availableAgent = z.object({ state: z.literal('available'), version: z.string().exactOptional() });
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
});

export const rootState = z.object({ agents: z.array(agentInfo) });
