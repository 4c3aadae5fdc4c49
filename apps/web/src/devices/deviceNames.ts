/** In this order: several browsers also claim to be those below them. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\/|\bEdgiOS\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bHeadlessChrome\/|\bChrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android.*Mobile/, 'Android phone'],
  [/Android/, 'Android tablet'],
  [/CrOS/, 'Chromebook'],
  [/Windows/, 'Windows'],
  [/Macintosh/, 'Mac'],
  [/Linux/, 'Linux'],
];

/** "Firefox on Linux": the first name of a browser in the list of devices. */
export function browserName(agent = navigator.userAgent): string {
  const system = systemName(agent);
  return `${nameIn(BROWSERS, agent) ?? 'Browser'}${system === undefined ? '' : ` on ${system}`}`;
}

/** "Mira's iPhone": the first name of a device that is paired. */
export function phoneName(user: string, agent = navigator.userAgent): string {
  const system = systemName(agent) ?? 'phone';
  const isDevice = /iPhone|iPad|Android|Chromebook/.test(system);
  const device = isDevice ? system : browserName(agent);
  const person = user.trim().split(/\s+/)[0] ?? '';
  return person === '' ? device : `${person}'s ${device}`;
}

export type DeviceKind = 'phone' | 'tablet' | 'computer';

/** For its picture, from its name. */
export function deviceKind(name: string): DeviceKind {
  if (/phone/i.test(name)) return 'phone';
  return /tablet|ipad/i.test(name) ? 'tablet' : 'computer';
}

function systemName(agent: string): string | undefined {
  return nameIn(SYSTEMS, agent);
}

function nameIn(names: readonly (readonly [RegExp, string])[], agent: string): string | undefined {
  return names.find(([pattern]) => pattern.test(agent))?.[1];
}
