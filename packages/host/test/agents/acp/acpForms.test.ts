import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../src/agents/agent.js';
import { openSession } from '../support/sessions.js';
import { stubAgent } from './support.js';

const SCHEMA = {
  type: 'object',
  properties: {
    flow: {
      type: 'string',
      title: 'Which flow?',
      oneOf: [
        { const: 'a', title: 'A' },
        { const: 'b', title: 'B' },
      ],
    },
    token: { type: 'string', _meta: { any: { isSecret: true } } },
  },
  required: ['flow'],
};
const LOOSE = { ...SCHEMA, required: [] };

async function asked(behaviour: string, schema: object = SCHEMA) {
  const opened = await openSession(await stubAgent());
  await opened.session.send({ text: `${behaviour} ${JSON.stringify(schema)}` });
  return opened;
}

describe('forms of an ACP agent', () => {
  it.each<[string, object, Decision, object]>([
    [
      'answered',
      SCHEMA,
      { approved: true, values: { flow: 'b', token: 'x' } },
      { action: 'accept', content: { flow: 'b', token: 'x' } },
    ],
    ['skipped where something is required', SCHEMA, { approved: true }, { action: 'decline' }],
    ['skipped where nothing is required', LOOSE, { approved: true }, { action: 'accept', content: {} }],
    ['declined', LOOSE, { approved: false }, { action: 'decline' }],
  ])('%s', async (_what, schema, decision, result) => {
    const { session, recorder } = await asked('form', schema);
    const { request } = await recorder.nth('permissionRequest');
    expect(request).toMatchObject({ kind: 'question', title: 'Tell me', message: 'It is short.' });
    expect(request.form?.fields.map(({ kind }) => kind)).toEqual(['choice', 'secret']);
    session.answer(request.requestId, decision);
    await recorder.end();
    expect(recorder.text()).toContain(JSON.stringify(result));
    // The stub says every prompt again that it does not know: so it says what it was told about a skipped question.
    const isSkipped = decision.approved && !decision.values;
    expect(recorder.text().includes('you decide')).toBe(isSkipped);
  });

  it('that are taken back are closed', async () => {
    const { recorder } = await asked('form-withdrawn');
    const { request } = await recorder.nth('permissionRequest');
    const { requestId } = await recorder.nth('questionWithdrawn');
    expect(requestId).toBe(request.requestId);
    await recorder.end();
  });

  it('between two turns are a turn of their own', async () => {
    const { session, recorder } = await asked('form-late');
    await recorder.end();
    const { request } = await recorder.nth('permissionRequest');
    expect(recorder.of('ownTurn')).toHaveLength(1);
    session.answer(request.requestId, { approved: true, values: { flow: 'a' } });
    await recorder.until('the answer', () => recorder.text().includes('accept'));
  });

  it('end with a stopped turn and with a dead agent', async () => {
    const stopped = await asked('form');
    await stopped.recorder.nth('permissionRequest');
    await stopped.session.abort();
    await stopped.recorder.end();
    const dead = await asked('form-crash');
    await dead.recorder.nth('permissionRequest');
    expect((await dead.recorder.end()).type).toBe('error');
  });

  it.each([
    ['no fields', { type: 'object', properties: {} }],
    ['a nested object', { properties: { a: { type: 'object', properties: {} } }, required: ['a'] }],
    ['no schema', { $ref: '#' }],
    ['a list of anything', { properties: { a: { type: 'array', items: { $ref: '#' } } } }],
  ])('that no client can show (%s) are declined with a notice', async (_what, schema) => {
    const { recorder } = await asked('form', schema);
    await recorder.end();
    expect(recorder.of('permissionRequest')).toEqual([]);
    expect(recorder.of('notice')[0]?.text).toMatch(/can't be shown, so it was declined: .*It asked: Tell me/);
    expect(recorder.text()).toContain('{"action":"decline"}');
  });
});
