import { describe, expect, it } from 'vitest';
import { CLIENT_ACTIONS } from '../../src/schemas/actionSchemas.js';
import {
  ACTION_INTRODUCED_IN,
  COMMAND_INTRODUCED_IN,
  isActionKnownToVersion,
  isClientDispatchable,
  isCommandKnownToVersion,
  isNotificationKnownToVersion,
  NOTIFICATION_INTRODUCED_IN,
} from '../../src/tables/tableRules.js';
import type { Action } from '../../src/types/actions.js';
import { capabilitiesOf } from '../../src/version/capabilities.js';
import {
  MIN_PROTOCOL_VERSION,
  negotiateVersion,
  PROTOCOL_VERSION,
  supportedVersions,
} from '../../src/version/versions.js';

describe('versions', () => {
  it('[VER2] every entry names a version that exists', () => {
    const entries = { ...ACTION_INTRODUCED_IN, ...NOTIFICATION_INTRODUCED_IN, ...COMMAND_INTRODUCED_IN };
    for (const [name, version] of Object.entries(entries)) {
      expect(Number.isInteger(version) && version >= 1 && version <= PROTOCOL_VERSION, name).toBe(true);
    }
  });

  it('[VER3] knows the features of a version', () => {
    expect(isActionKnownToVersion({ type: 'session/delta' }, 1)).toBe(true);
    expect(isActionKnownToVersion({ type: 'session/delta' }, 0)).toBe(false);
    expect(isActionKnownToVersion({ type: 'session/later' as Action['type'] }, 99)).toBe(false);
    expect(isActionKnownToVersion({ type: 'toString' as Action['type'] }, 99)).toBe(false);
    expect(isNotificationKnownToVersion({ type: 'notify/progress' }, 1)).toBe(true);
    expect(isNotificationKnownToVersion({ type: 'notify/progress' }, 0)).toBe(false);
    expect(isCommandKnownToVersion('forkSession', 1)).toBe(true);
    expect(isCommandKnownToVersion('forkSession', 0)).toBe(false);
  });

  it('[VER4] speaks the lower version of both, and none below the oldest', () => {
    expect(negotiateVersion(PROTOCOL_VERSION)).toBe(PROTOCOL_VERSION);
    expect(negotiateVersion(PROTOCOL_VERSION + 7)).toBe(PROTOCOL_VERSION);
    for (const none of [MIN_PROTOCOL_VERSION - 1, 0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(negotiateVersion(none)).toBeUndefined();
    }
    expect(supportedVersions().at(0)).toBe(PROTOCOL_VERSION);
    expect(supportedVersions().at(-1)).toBe(MIN_PROTOCOL_VERSION);
  });

  it('[VER5] a newer version has at least the features of the newest known one', () => {
    expect(capabilitiesOf(PROTOCOL_VERSION + 5)).toEqual(capabilitiesOf(PROTOCOL_VERSION));
    expect(capabilitiesOf(1)).toMatchObject({ sessions: true, tools: true, permissions: true, reasoning: true });
    expect(() => capabilitiesOf(0)).toThrow('protocol version 0 does not exist');
  });

  it('[VAL1] clients may dispatch exactly the actions that the schema of a client action takes', () => {
    const taken = CLIENT_ACTIONS.map(({ shape }) => shape.type.value).sort();
    expect(Object.keys(ACTION_INTRODUCED_IN).filter(isClientDispatchable).sort()).toEqual(taken);
    expect(isClientDispatchable('toString')).toBe(false);
  });
});
