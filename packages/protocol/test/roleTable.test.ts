import { describe, expect, it } from 'vitest';
import { ROLES, type Role } from '../src/index.js';
import { CLIENT_NOTIFICATION_SCHEMAS } from '../src/schemas/schemas.js';
import {
  ACTION_INTRODUCED_IN,
  COMMAND_INTRODUCED_IN,
  isAllowedByLink,
  isClientDispatchable,
  roleForAction,
  roleForMethod,
  roleRefusal,
} from '../src/tables/tableRules.js';

/** Written out a second time on purpose: a change of the table has to be stated here too. */
const EXPECTED: Readonly<Record<Role, readonly string[]>> = {
  viewer: [
    ...[
      'dispatchAction',
      'fetchContent',
      'fetchEvents',
      'fetchParts',
      'fetchTurns',
      'initialize',
      'listArtifacts',
      'listSessions',
    ],
    ...['fetchChanges', 'fetchDiff', 'fetchVersion', 'listChanges', 'ping', 'reconnect', 'subscribe', 'unsubscribe'],
    ...['attachTerminal', 'confirmTerminal', 'detachTerminal', 'listTerminals'],
    ...['fetchPushKey', 'lookAt', 'removePushSubscription', 'setPushSubscription'],
  ],
  approver: [
    'session/approvalRevoked',
    ...['session/commentRemoved', 'session/commentResolved', 'session/commentSet'],
    'session/isReadChanged',
    'session/permissionResolved',
    'session/toolCallConfirmed',
    'session/turnCancelled',
  ],
  driver: [
    ...['browseDirectory', 'createSession', 'disposeSession', 'forkSession', 'importSession', 'setClientTools'],
    ...['closeTerminal', 'createTerminal', 'sendToTerminal'],
    ...['commitChanges', 'mergeChanges', 'previewMerge', 'pullRequest', 'pushChanges', 'restoreFiles'],
    ...['revertChanges', 'rewindSession'],
    ...['fetchTestCommand', 'runTests', 'stopTests'],
    ...['checkFiles', 'findFiles', 'listFolder', 'readFile'],
    ...['session/customizationToggled', 'session/isArchivedChanged', 'session/modelChanged', 'session/settingChosen'],
    'session/toolInput',
    ...['session/pendingMessageRemoved', 'session/pendingMessageSet', 'session/queuedMessagesReordered'],
    'session/pickChanged',
    ...['session/titleChanged', 'session/turnStarted'],
  ],
  owner: [
    ...['addDevice', 'createPairing', 'fetchPairing', 'listDevices', 'removeDevice', 'removePairing', 'updateDevice'],
    'shareSession',
    'fetchAudit',
    ...['addWebhook', 'enableWebhook', 'listWebhooks', 'removeWebhook', 'testWebhook'],
    ...[
      'beginLogin',
      'cancelInstall',
      'checkLogin',
      'endLogin',
      'installAgent',
      'logOutAgent',
      'removeAgent',
      'sendToLogin',
    ],
    ...['sessionFs.setProvider', 'setAgentKey', 'updateAgent'],
    ...['continueNativeSession', 'fetchNativeTurns', 'listNativeSessions'],
  ],
};

describe('the table of roles', () => {
  it('has exactly one row for every command, notification and action of the protocol', () => {
    const methods = [...Object.keys(COMMAND_INTRODUCED_IN), ...Object.keys(CLIENT_NOTIFICATION_SCHEMAS)];
    const actions = Object.keys(ACTION_INTRODUCED_IN).filter(isClientDispatchable);
    const found = Object.fromEntries(ROLES.map((role) => [role, [] as string[]]));
    for (const method of methods) found[roleForMethod(method)]?.push(method);
    for (const type of actions) found[roleForAction({ type })]?.push(type);
    for (const role of ROLES) expect([role, found[role]?.sort()]).toEqual([role, [...EXPECTED[role]].sort()]);
  });

  it('[SHARE2] lets a read-only link read one session, and nothing else', () => {
    const methods = [
      ...Object.keys(COMMAND_INTRODUCED_IN),
      ...Object.keys(CLIENT_NOTIFICATION_SCHEMAS),
      'toString',
      '',
    ];
    expect(methods.filter(isAllowedByLink).toSorted()).toEqual([
      ...[
        'fetchContent',
        'fetchEvents',
        'fetchParts',
        'fetchTurns',
        'initialize',
        'listArtifacts',
        'ping',
        'reconnect',
        'subscribe',
      ],
    ]);
  });

  it.each(['deleteEverything', '__proto__', 'constructor', 'toString', ''])('leaves %j to the owner', (name) => {
    expect([roleForMethod(name), roleForAction({ type: name })]).toEqual(['owner', 'owner']);
    expect(roleRefusal('driver', roleForMethod(name))).toContain('role owner');
  });

  it('leaves actions that only the host dispatches to the owner, for whom they are refused as well', () => {
    const hostOnly = Object.keys(ACTION_INTRODUCED_IN).filter((type) => !isClientDispatchable(type));
    expect(hostOnly.length).toBeGreaterThan(10);
    for (const type of hostOnly) expect([type, roleForAction({ type })]).toEqual([type, 'owner']);
  });

  it('lets an approver allow the asked command, but not change it', () => {
    const type = 'session/toolCallConfirmed';
    expect(roleForAction({ type, approved: true, optionId: 'always' })).toBe('approver');
    expect(roleForAction({ type, approved: true, editedToolInput: 'rm -rf ~' })).toBe('driver');
    expect(roleForAction({ type, approved: true, editedToolInput: '' })).toBe('driver');
  });

  it('lets an approver give a reason or a text answer of at most 1,000 characters', () => {
    const [confirmed, resolved] = ['session/toolCallConfirmed', 'session/permissionResolved'];
    const short = 'x'.repeat(1_000);
    const long = `${short}x`;
    expect(roleForAction({ type: confirmed, approved: false, reason: short })).toBe('approver');
    expect(roleForAction({ type: confirmed, approved: false, reason: long })).toBe('driver');
    expect(roleForAction({ type: confirmed, approved: true, reason: 'and then do something else' })).toBe('driver');
    expect(roleForAction({ type: resolved, requestId: 'q-1', approved: true, text: short })).toBe('approver');
    expect(roleForAction({ type: resolved, requestId: 'q-1', approved: true, text: long })).toBe('driver');
    expect(roleForAction({ type: resolved, requestId: 'q-1', approved: true, text: ['not a text'] })).toBe('driver');
    expect(roleForAction({ type: resolved, requestId: 'trust-1', approved: true, text: long })).toBe('owner');
  });

  it('[FORM1] counts the texts of all fields of a form for an approver', () => {
    const answer = (more: object) => roleForAction({ type: 'session/permissionResolved', requestId: 'q', ...more });
    const half = 'x'.repeat(500);
    expect(answer({ values: { a: half, n: 7, list: [half, half] }, secrets: { b: half } })).toBe('approver');
    expect(answer({ values: { a: half, c: 'x' }, secrets: { b: half } })).toBe('driver');
    expect(answer({ values: 'x'.repeat(2_000), secrets: null })).toBe('approver');
  });

  it('leaves trust in a folder to the owner, in any form of answer', () => {
    const answer = (more: object) => roleForAction({ type: 'session/permissionResolved', ...more });
    expect(answer({ requestId: 'q-1', approved: true })).toBe('approver');
    expect(answer({ requestId: 'trust-1', approved: true })).toBe('owner');
    expect(answer({ requestId: 'trust-1', approved: true, optionId: 'trust' })).toBe('owner');
    expect(answer({ requestId: ['trust-1'], approved: true })).toBe('owner');
    expect(answer({ requestId: 'trust-1', approved: true, optionId: 'without' })).toBe('approver');
    expect(answer({ requestId: 'trust-1', approved: false })).toBe('approver');
  });

  it('names the current and the needed role', () => {
    expect(roleRefusal('owner', 'owner')).toBeUndefined();
    expect(roleRefusal('viewer', 'driver')).toBe(
      'This device may only watch (role viewer). Ask the owner of the host for a token with the role driver.',
    );
  });
});
