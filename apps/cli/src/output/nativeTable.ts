import type { HostClient } from '@agenthost/client';
import { MAX_LIST_LIMIT, type NativeSession } from '@agenthost/protocol';
import { dateOf } from '@agenthost/protocol/internal';
import { EXIT } from '../commandError.js';
import { relativeTime } from '../text/relativeTime.js';
import { safeLine } from '../text/safeText.js';
import { styleFor } from '../text/style.js';
import { fit, padTo } from '../text/width.js';

const MAX_AGENT = 12;
const MIN_TITLE = 12;

/** `agenthost ls --native`: what agents keep by themselves, newest first. */
export async function listNative(host: HostClient, limit: number, json: boolean): Promise<number> {
  const items: NativeSession[] = [];
  let found = await host.native.list({ limit: Math.min(limit, MAX_LIST_LIMIT) });
  items.push(...found.items);
  while (found.nextCursor !== undefined && items.length < limit) {
    found = await host.native.list({ limit: Math.min(limit - items.length, MAX_LIST_LIMIT), cursor: found.nextCursor });
    items.push(...found.items);
  }
  const { total, unreadable = [] } = found;
  const { stdout, stderr } = process;
  if (json) stdout.write(`${JSON.stringify({ nativeSessions: items, total, unreadable })}\n`);
  else if (stdout.isTTY) stdout.write(nativeTable(items, stdout.columns || 80).join(''));
  else stdout.write(items.map(nativeLine).join(''));
  if (json) return EXIT.ok;
  if (items.length === 0) stderr.write('No session of a terminal was found.\n');
  for (const { count, reason } of unreadable) {
    stderr.write(`${count === 1 ? '1 session' : `${count} sessions`} couldn't be read. ${safeLine(reason)}\n`);
  }
  return EXIT.ok;
}

function nativeTable(items: readonly NativeSession[], columns: number): string[] {
  const style = styleFor(process.stdout);
  return items.map(({ provider, modifiedAt, title, isBusy, command }) => {
    const agent = padTo(fit(provider, MAX_AGENT), MAX_AGENT);
    const time = relativeTime(modifiedAt, Date.now()).padStart(4);
    const rest = Math.max(columns - (MAX_AGENT + 1 + time.length + 1), MIN_TITLE);
    const end = `  ${isBusy ? 'busy' : safeLine(command)}`;
    const shown = fit(safeLine(title), Math.max(rest - end.length, MIN_TITLE));
    return `${style.dim(agent)} ${style.dim(time)} ${shown}${style.dim(end)}\n`;
  });
}

/** For programs: id, agent, time of the last change, title, folder and command, separated by tabs. */
function nativeLine({ id, provider, modifiedAt, title, workingDirectory = '', command }: NativeSession): string {
  const folder = workingDirectory.startsWith('file://') ? decodeURIComponent(workingDirectory.slice(7)) : '';
  const fields = [id, provider, dateOf(modifiedAt).toISOString(), title, folder, command];
  return `${fields.map(safeLine).join('\t')}\n`;
}
