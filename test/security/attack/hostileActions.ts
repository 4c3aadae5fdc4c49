import type { ClientAction } from '@agenthost/protocol';

/** Of every action that clients may dispatch: the largest, and odd ones. One without an entry does not compile. */
export const HOSTILE_ACTIONS: { readonly [T in ClientAction['type']]: readonly object[] } = {
  'session/turnStarted': [
    { turnId: 'a', userMessage: { text: 'x '.repeat(500_000) } },
    {
      turnId: 'b',
      userMessage: { text: '', attachments: Array(64).fill({ kind: 'file', label: 'l', data: 'QUFB'.repeat(14_000) }) },
    },
    { turnId: 'c', userMessage: { text: '', attachments: Array(15_000).fill({}) } },
  ],
  'session/pendingMessageSet': [
    ...Array.from({ length: 100 }, (_, n) => ({
      kind: 'queued',
      id: `q${n}`,
      userMessage: { text: 'x '.repeat(30_000) },
    })),
    { kind: 'steering', id: 's', userMessage: { text: 'x '.repeat(500_000) } },
    {
      kind: 'queued',
      id: 'a',
      userMessage: { text: '', attachments: [{ kind: 'image', label: 'l', data: 'QUFB'.repeat(700_000) }] },
    },
  ],
  'session/queuedMessagesReordered': [
    ...Array.from({ length: 1_000 }, (_, n) => ({
      order: Array.from({ length: 200 }, (__, k) => `q${(7 * k + n) % 100}`),
    })),
    { order: Array(60_000).fill('q1') },
    { order: Array(20_000).fill({}) },
  ],
  'session/pendingMessageRemoved': Array.from({ length: 1_000 }, (_, n) => ({ kind: 'queued', id: `none${n}` })),
  'session/toolCallConfirmed': [
    { turnId: 'a', toolCallId: 'none', approved: true, editedToolInput: 'x'.repeat(1_000_000) },
    { turnId: 'a', toolCallId: 'none', approved: false, optionId: '%', reason: 'x'.repeat(1_000_000) },
  ],
  'session/permissionResolved': [
    { turnId: 'a', requestId: 'none', approved: true, optionId: 'x'.repeat(256), text: '\n'.repeat(1_000_000) },
    { turnId: 'a', requestId: 'trust:/', approved: true, optionId: 'trust' },
    { turnId: 'a', requestId: 'none', approved: true, values: Object.fromEntries(Array(20_000).fill(0).entries()) },
    { turnId: 'a', requestId: 'none', approved: true, values: { __proto__: 1, a: Array(60_000).fill('x') } },
    { turnId: 'a', requestId: 'none', approved: true, secrets: { a: 'x'.repeat(3_000_000) } },
    { turnId: 'a', requestId: 'none', approved: true, values: { a: `${'a'.repeat(9_999)}!` }, secrets: { a: '' } },
  ],
  'session/turnCancelled': [{ turnId: 'none' }, { turnId: 'x'.repeat(3_000_000) }],
  'session/titleChanged': Array.from({ length: 500 }, (_, n) => ({ title: `${n} ${'t'.repeat(990)}` })),
  'session/modelChanged': [{ model: 'x'.repeat(256) }, { model: 'x'.repeat(3_000_000) }],
  'session/isReadChanged': Array.from({ length: 500 }, (_, n) => ({ isRead: n % 2 === 0 })),
  'session/isArchivedChanged': Array.from({ length: 500 }, (_, n) => ({ isArchived: n % 2 === 0 })),
  'session/settingChosen': [
    { setting: 'x'.repeat(256), value: 'x'.repeat(256) },
    { setting: 'mode', value: '__proto__' },
    { setting: '__proto__', value: 'x' },
  ],
  'session/toolInput': [
    { turnId: 'a', toolCallId: 'none', kind: 'line', text: 'x'.repeat(16_384) },
    { turnId: 'a', toolCallId: '__proto__', kind: 'line', text: 'x' },
    { turnId: 'a', toolCallId: 'none', kind: 'interrupt', text: '\u0003' },
    { turnId: 'a', toolCallId: 'none', kind: 'quit' },
    { turnId: 'a', toolCallId: 'none', kind: 'line', text: '\n'.repeat(3_000_000) },
  ],
  'session/commentSet': [
    { comment: { id: 'x', path: '../../etc/passwd', side: 'new', line: 1, quote: '', text: 'x' } },
    { comment: { id: 'x', path: 'a', side: 'new', line: 3, endLine: 1, quote: '', text: 'x' } },
    { comment: { id: '__proto__', path: 'a', side: 'new', line: 1, quote: '', text: 'x' } },
    { comment: { id: 'y', path: 'a', side: 'new', line: 1, quote: 'x'.repeat(3_000_000), text: 'x' } },
  ],
  'session/commentRemoved': [{ commentId: 'none' }, { commentId: 'x'.repeat(3_000_000) }],
  'session/commentResolved': [
    { commentId: 'none', resolved: true },
    { commentId: 'constructor', resolved: false },
  ],
  'session/pickChanged': [
    { picked: 'mock:/none' },
    { picked: `mock:/${'x'.repeat(4_000)}` },
    { picked: 'x'.repeat(3_000_000) },
    {},
  ],
  'session/approvalRevoked': [{ approvalId: 'none' }, { approvalId: 'x'.repeat(3_000_000) }],
  'session/customizationToggled': [{ uri: `file:///${'x'.repeat(4_000)}`, enabled: false }],
};
