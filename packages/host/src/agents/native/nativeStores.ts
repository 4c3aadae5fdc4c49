import { join } from 'node:path';
import { claudeStore } from './claudeStore.js';
import { codexStore } from './codexStore.js';
import { copilotStore } from './copilotStore.js';
import { geminiStore } from './geminiStore.js';
import type { NativeStore } from './nativeStore.js';
import { opencodeStore } from './opencodeStore.js';

/** The stores of all known agents, where agents with this environment keep them. None without a home. */
export function nativeStores(env: Readonly<Record<string, string | undefined>>): readonly NativeStore[] {
  const home = env['HOME'] ?? env['USERPROFILE'];
  if (!home) return [];
  const data = env['XDG_DATA_HOME'] || join(home, '.local', 'share');
  return [claudeStore(home), codexStore(home), copilotStore(home), geminiStore(home), opencodeStore(data)];
}
