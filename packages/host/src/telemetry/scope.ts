import { HOST_VERSION } from '../version.js';

/** Who made the spans and figures, for a collector. */
export const SCOPE = { name: 'agenthost', version: HOST_VERSION };
