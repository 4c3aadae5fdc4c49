import { SCHEMAS } from '@agenthost/protocol/schemas';
import * as z from 'zod';

/** A webhook with what only the host knows. */
export const storedWebhook = SCHEMAS.Webhook.and(
  z.object({
    space: z.string(),
    secret: z.string(),
    /** What was numbered until then is not told. */
    since: z.number(),
  }),
);
