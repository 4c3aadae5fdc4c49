import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AhpTestHost, ahpSession, ahpSubscribe, ahpTurn, startAhpHost } from '../support/ahpHost.js';

let host: AhpTestHost;
beforeAll(async () => {
  host = await startAhpHost();
});
afterAll(() => host.dispose());

it('refers to images of an agent, live and in snapshots, and returns them', async () => {
  const client = await host.client('looks');
  const { session, chat } = await ahpSession(client);
  await client.act(chat, ahpTurn('image'));
  const { action } = await client.action('chat/responsePart', ({ action: { part } }) => part.kind === 'contentRef');
  const ref = { uri: expect.stringMatching(/^mock:\/\/.*\.png$/), contentType: 'image/png' };
  expect(action.part).toMatchObject({ kind: 'contentRef', ...ref });
  await client.action('chat/turnComplete');
  await client.act(chat, ahpTurn('image tool'));
  await client.action('chat/turnComplete');
  const { turns } = (await ahpSubscribe(client, session)).snapshots.chat.state;
  const parts = turns.flatMap(({ responseParts }: { responseParts: readonly { kind: string }[] }) => responseParts);
  const part = parts.find(({ kind }: { kind: string }) => kind === 'contentRef');
  const { toolCall } = parts.find(({ kind }: { kind: string }) => kind === 'toolCall');
  expect(part).toMatchObject(ref);
  expect(toolCall.content).toMatchObject([{ type: 'resource', ...ref }]);
  const read = await client.request('resourceRead', { uri: part.uri });
  expect(read).toMatchObject({ encoding: 'base64', contentType: 'image/png' });
  const bytes = Buffer.from(read.data, 'base64');
  expect([bytes.length, bytes.toString('latin1', 1, 4)]).toEqual([part.sizeHint, 'PNG']);
});
