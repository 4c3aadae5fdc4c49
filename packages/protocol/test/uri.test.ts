import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/holds.js';
import { ARTIFACT_KINDS } from '../src/artifacts.js';
import {
  artifactUri,
  contentUri,
  isProviderId,
  isSessionId,
  parseArtifactUri,
  parseContentUri,
  parseSessionUri,
  ROOT_URI,
  sessionUri,
} from '../src/uri.js';

const provider = fc.stringMatching(/^[a-z][a-z0-9+.-]{0,10}$/).filter(isProviderId);
const sessionId = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}$/).filter(isSessionId);

describe('URIs', () => {
  it('[URI1] parses what it formats', () => {
    holds(
      fc.property(provider, sessionId, sessionId, (p, s, c) => {
        expect(parseSessionUri(sessionUri(p, s))).toEqual({ provider: p, sessionId: s });
        expect(parseContentUri(contentUri(p, s, c))).toEqual({ provider: p, sessionId: s, contentId: c });
        expect(parseSessionUri(contentUri(p, s, c))).toBeUndefined();
        expect(parseContentUri(sessionUri(p, s))).toBeUndefined();
      }),
    );
  });

  it('[URI1] formats only what it parses', () => {
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

describe('URIs of artifacts', () => {
  const kind = fc.constantFrom(...ARTIFACT_KINDS);
  const name = fc
    .array(fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 4 })
    .map((segments) => segments.join('/'));

  it('[URI4] parses what it formats, and formats nothing else', () => {
    holds(
      fc.property(provider, sessionId, kind, name, (p, s, k, n) => {
        const parts = { provider: p, sessionId: s, kind: k, name: n };
        const made = attempt(() => artifactUri(parts));
        if (made === undefined) return;
        expect(parseArtifactUri(made)).toEqual(parts);
        expect(parseContentUri(made)).toBeUndefined();
        expect(parseSessionUri(made)).toBeUndefined();
      }),
    );
  });

  it('[URI4] has one form for each artifact', () => {
    holds(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const uri = `mock://s1/file/${text}`;
        const parts = parseArtifactUri(uri);
        if (parts) expect(artifactUri(parts)).toBe(uri);
      }),
    );
  });

  it.each([
    'mock://s1/file',
    'mock://s1/file/',
    'mock://s1/file//a',
    'mock://s1/file/a/',
    'mock://s1/secret/a',
    'mock://s1/file/a%2Fb',
    'mock://s1/file/%61',
    'mock://s1/file/a b',
    'mock://s1/file/%ff',
    'mock://s1/file/%',
    'mock:/s1/file/a',
    'file://s1/file/a',
    'mock://../file/a',
    `mock://s1/file/${'a'.repeat(5_000)}`,
  ])('[URI4] refuses %s', (uri) => {
    expect(parseArtifactUri(uri)).toBeUndefined();
  });

  it('[URI4] formats no half character', () => {
    expect(() => artifactUri({ provider: 'mock', sessionId: 's1', kind: 'file', name: '\ud800' })).toThrow(RangeError);
    expect(() => artifactUri({ provider: 'mock', sessionId: '..', kind: 'file', name: 'a' })).toThrow(RangeError);
    expect(() => artifactUri({ provider: 'file', sessionId: 's1', kind: 'file', name: 'a' })).toThrow(RangeError);
  });
});

function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
