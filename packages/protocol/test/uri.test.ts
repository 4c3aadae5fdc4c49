import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/holds.js';
import {
  contentUri,
  isProviderId,
  isSessionId,
  parseContentUri,
  parseSessionUri,
  ROOT_URI,
  sessionUri,
} from '../src/uri.js';

const provider = fc.stringMatching(/^[a-z][a-z0-9+.-]{0,10}$/).filter(isProviderId);
const sessionId = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}$/).filter(isSessionId);

describe('URIs', () => {
  it('[URI1] parses what it made', () => {
    holds(
      fc.property(provider, sessionId, sessionId, (p, s, c) => {
        expect(parseSessionUri(sessionUri(p, s))).toEqual({ provider: p, sessionId: s });
        expect(parseContentUri(contentUri(p, s, c))).toEqual({ provider: p, sessionId: s, contentId: c });
        expect(parseSessionUri(contentUri(p, s, c))).toBeUndefined();
        expect(parseContentUri(sessionUri(p, s))).toBeUndefined();
      }),
    );
  });

  it('[URI1] makes only what it parses', () => {
    holds(
      fc.property(fc.string(), fc.string(), (p, s) => {
        const made = attempt(() => sessionUri(p, s));
        if (made !== undefined) expect(parseSessionUri(made)).toEqual({ provider: p, sessionId: s });
      }),
    );
  });

  it.each([
    ROOT_URI,
    '',
    'shell',
    'shell:',
    'shell:/',
    'shell:s1',
    'shell:/..',
    'shell:/.hidden',
    'shell:/a/b',
    'shell:/a\\b',
    'shell:/trailing.',
    'shell:/%2e%2e',
    'shell:/a\u0000',
    'shell:/a\n',
    'shell:/ä',
    `shell:/${'a'.repeat(129)}`,
    'Shell:/a',
    '1shell:/a',
    'shell:/a?x',
    'shell:/a#x',
  ])('[URI2] refuses %j as a session', (uri) => {
    expect(parseSessionUri(uri)).toBeUndefined();
  });

  it.each(['file:/a', 'http:/a', 'https:/a', 'data:/a', 'javascript:/a', 'agenthost:/a'])(
    '[URI3] refuses %j',
    (uri) => {
      expect(parseSessionUri(uri)).toBeUndefined();
      expect(() => sessionUri(uri.slice(0, uri.indexOf(':')), 'a')).toThrow('not a provider id');
    },
  );

  it.each([
    'shell://s1',
    'shell://s1/',
    'shell:///c',
    'shell://../c',
    'shell://s1/..',
    'shell://s1/a/b',
    'shell:/s1/c',
  ])('[URI2] refuses %j as content', (uri) => {
    expect(parseContentUri(uri)).toBeUndefined();
  });
});

function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
