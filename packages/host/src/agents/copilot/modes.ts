import type { SessionMode, SettingValue } from '@agenthost/protocol';
import type { SdkSession } from './sdk.js';

const NAMES: Readonly<Record<string, string>> = { interactive: 'Interactive', plan: 'Plan', autopilot: 'Autopilot' };

export const MODE_VALUES: readonly SettingValue[] = Object.entries(NAMES).map(([id, name]) => ({ id, name }));

/** The mode in `createSession.config`. Throws when Copilot has no such mode. */
export function parseMode(mode: unknown): string | undefined {
  if (mode === undefined || (typeof mode === 'string' && Object.hasOwn(NAMES, mode))) return mode;
  throw new Error(`There is no mode ${JSON.stringify(mode)}. There are: ${Object.keys(NAMES).join(', ')}.`);
}

/** The mode of a resumed session, if Copilot still has it. */
export function knownMode(mode: string | undefined): string | undefined {
  return mode !== undefined && Object.hasOwn(NAMES, mode) ? mode : undefined;
}

export function modeOf(id: string): SessionMode {
  const name = Object.hasOwn(NAMES, id) ? NAMES[id] : undefined;
  return { id, ...(name !== undefined && { name }) };
}

/** Sets the mode of a session that was just opened; returns its actual mode, if the SDK reports it. */
export async function chooseMode({ rpc }: SdkSession, wanted: string | undefined): Promise<SessionMode | undefined> {
  const before = await current(rpc);
  if (wanted === undefined || wanted === before) return before === undefined ? undefined : modeOf(before);
  if (!rpc.mode) throw new Error('This version of Copilot has no modes. Leave config.mode out.');
  await rpc.mode.set({ mode: wanted });
  return modeOf((await current(rpc)) ?? wanted);
}

async function current({ mode }: SdkSession['rpc']): Promise<string | undefined> {
  const answer = await mode?.get().catch(() => undefined);
  return typeof answer === 'string' ? answer : undefined;
}
