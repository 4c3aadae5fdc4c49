import { describe, expect, it } from 'vitest';
import { text } from '../support/modelServer/modelReply.js';
import { png } from '../support/samples.js';
import { recordCapability } from './support/capabilities.js';
import { turnEnded } from './support/copilotHost.js';
import { startReportsHost } from './support/reportsHost.js';

const CASES = [
  ['copilot', true],
  ['claude', true],
  ['codex', true],
  ['gemini', true],
  ['opencode', true],
  ['copilot-acp', true],
] as const;

describe('an image in a message to a real agent', () => {
  it.each(CASES)('%s gives it to its model: %s', async (provider, isGiven) => {
    const { model, open } = await startReportsHost(provider);
    model.script('what is this', text('A picture.'));
    const data = png(64, 64).toString('base64');
    const session = await open();
    await session.send({
      text: 'what is this',
      attachments: [{ kind: 'image', label: 'picture.png', data, mimeType: 'image/png' }],
    });
    const [turn] = (await turnEnded(session)).turns;
    expect(turn?.state).toBe('complete');
    const bodies = model.requests.filter(({ tools }) => tools.length > 0).map(({ body }) => JSON.stringify(body));
    expect(bodies.some((body) => body.includes('what is this'))).toBe(true);
    const isThere = bodies.some((body) => body.includes(data));
    expect(isThere).toBe(isGiven);
    recordCapability(provider, 'imageIn', isGiven ? 'yes' : 'no');
  });
});
