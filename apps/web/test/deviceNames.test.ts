import { describe, expect, it } from 'vitest';
import { browserName, deviceKind, phoneName } from '../src/devices/deviceNames.js';
import { remainingTime } from '../src/devices/remainingTime.js';
import { abilities } from '../src/devices/roleTexts.js';

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const EDGE = `${CHROME.replace('X11; Linux x86_64', 'Windows NT 10.0; Win64; x64')} Edg/140.0.0.0`;
const FIREFOX = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:141.0) Gecko/20100101 Firefox/141.0';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';
const ANDROID =
  'Mozilla/5.0 (Linux; Android 15; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36';

describe('the first name of a device', () => {
  it.each([
    [CHROME, 'Chrome on Linux', "Mira's Chrome on Linux", 'computer'],
    [EDGE, 'Edge on Windows', "Mira's Edge on Windows", 'computer'],
    [FIREFOX, 'Firefox on Mac', "Mira's Firefox on Mac", 'computer'],
    [IPHONE, 'Safari on iPhone', "Mira's iPhone", 'phone'],
    [ANDROID, 'Chrome on Android phone', "Mira's Android phone", 'phone'],
    ['curl/8.5.0', 'Browser', "Mira's Browser", 'computer'],
  ])('%s', (agent, browser, phone, kind) => {
    expect([browserName(agent), phoneName('Mira Kovač', agent)]).toEqual([browser, phone]);
    expect(deviceKind(phone)).toBe(kind);
    expect(phoneName('', agent)).not.toContain("'s");
  });
});

it('what a role may do ends with the first thing that it may not', () => {
  expect(abilities('approver', 'laptop')).toEqual({
    can: ['Read all sessions on laptop', 'Answer questions and confirmations'],
    not: 'Write messages, start sessions, use terminals. Ask for the role Driver on laptop.',
  });
  expect(abilities('driver', 'laptop').not).toBeUndefined();
});

it.each([
  [600_000, '10:00'],
  [552_001, '9:13'],
  [59_000, '0:59'],
  [0, '0:00'],
  [-5, '0:00'],
])('%i ms are %s', (ms, shown) => {
  expect(remainingTime(ms)).toBe(shown);
});
