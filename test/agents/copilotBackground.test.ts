import { beforeAll, expect, it } from 'vitest';
import { text, toolCall } from '../support/modelServer/modelReply.js';
import { until } from '../support/until.js';
import { confirmation, PATIENCE_MS, startCopilotHost, turnEnded } from './support/copilotHost.js';
import { installAgent } from './support/installAgents.js';

beforeAll(() => installAgent('copilot'));

it('a background sub-agent that asks after its turn has ended begins a turn', async () => {
  const host = await startCopilotHost();
  const task = {
    name: 'worker',
    description: 'Works for a while',
    agent_type: 'general-purpose',
    mode: 'background',
    prompt: 'the work of the sub-agent',
  };
  const bash = (command: string) => toolCall('bash', { command, description: 'a test' });
  host.model
    .script('the work of the sub-agent', bash('sleep 8 && echo first'), bash('echo second > second.txt'), text('Done.'))
    .script('start a sub-agent', toolCall('task', task), text('Started.'));
  const session = await (await host.connect()).createSession({ provider: 'copilot' });
  await session.ready();
  await session.send('start a sub-agent');
  // The first question comes while the turn runs, the second one when it is long over.
  await (await confirmation(session)).approve();
  await turnEnded(session);
  const { activeTurn } = await until(
    session.confirmed,
    (state) => state.activeTurn !== undefined,
    'its turn',
    PATIENCE_MS,
  );
  expect(activeTurn).toMatchObject({ origin: 'agent' });
  const asked = await until(
    session.confirmed,
    (state) => state.summary.status === 'inputNeeded',
    'its question',
    PATIENCE_MS,
  );
  expect(JSON.stringify(asked.activeTurn)).toContain('echo second');
  const [call] = session.pendingConfirmations.value;
  if (call) await call.approve();
  else await session.pendingPermissions.value[0]?.answer({ approved: true });
  const { turns } = await turnEnded(session, 2);
  expect(turns[1]).toMatchObject({ origin: 'agent', state: 'complete' });
});
