import { describe, expect, it } from 'vitest';
import { loginOffer } from '../src/agents/loginOffer.js';

describe('what a log-in program offers', () => {
  it.each([
    [
      ['! First copy your one-time code: 9B2C-41F7', 'Open https://github.com/login/device, then wait.'],
      { code: '9B2C-41F7', address: 'https://github.com/login/device' },
    ],
    [
      [
        'Follow these steps:',
        '1. Open this link',
        '   https://auth.example/codex/device',
        '2. Enter this one-time code',
        '   K7QX-9MZ4T',
      ],
      { code: 'K7QX-9MZ4T', address: 'https://auth.example/codex/device' },
    ],
    [
      ['Visit (https://claude.example/oauth?code=true&client_id=9d1c-250a).'],
      { address: 'https://claude.example/oauth?code=true&client_id=9d1c-250a' },
    ],
    [['a code, and much later', '', '', '', 'ABCD-1234'], {}],
    [['No log-in at 2026-11-18, error E-404-XYZ'], {}],
  ])('%j', (lines, offer) => {
    expect(loginOffer(lines)).toEqual(offer);
  });

  it('is the newest of several', () => {
    const lines = [
      'code: AAAA-1111 https://one.example/',
      'That code has expired.',
      'New code: BBBB-2222 https://two.example/',
    ];
    expect(loginOffer(lines)).toEqual({ code: 'BBBB-2222', address: 'https://two.example/' });
  });

  it('is never an address that hides its host or runs something', () => {
    const hostile = [
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'https://github.com:x@evil.example/',
      'https://github.com@evil.example/',
      `https://long.example/${'x'.repeat(5_000)}`,
      'https://',
      'HTTPS//x',
    ];
    for (const line of hostile) expect(loginOffer([line])).toEqual({});
  });

  it('takes no time on a screen that is full of almost-addresses', () => {
    const line = `${'https:/'.repeat(2_000)} ${'ABCD-'.repeat(2_000)} code`;
    const start = performance.now();
    loginOffer(Array.from({ length: 60 }, () => line));
    expect(performance.now() - start).toBeLessThan(500);
  });
});
