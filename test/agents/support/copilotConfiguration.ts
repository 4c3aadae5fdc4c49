import type { CopilotConfiguration } from '@agenthost/host';
import type { ModelServer } from '../../support/modelServer/modelServer.js';

/** Copilot with a scripted model, and without a way to GitHub. */
export function scriptedCopilot({ url }: ModelServer): CopilotConfiguration {
  return {
    providers: {
      scripted: { baseUrl: `${url}/v1`, apiKey: 'none', wireApi: 'completions', models: ['model-1', 'model-2'] },
    },
    defaultProvider: 'scripted',
    env: { COPILOT_OFFLINE: 'true' },
  };
}
