import { titleOf } from '@agenthost/client/internal';
import type { SessionSummary } from '@agenthost/protocol';
import { dateOf } from '@agenthost/protocol/internal';
import { idOf } from '../sessionName.js';
import { relativeTime } from '../text/relativeTime.js';
import { safeLine } from '../text/safeText.js';
import { STATUS_WORD, type Style, statusGlyph } from '../text/style.js';
import { fit, padTo, textWidth } from '../text/width.js';

const MIN_TITLE = 12;
const MIN_ID = 8;
const MAX_AGENT = 12;

/** For people: as wide as the terminal. */
export function sessionTable(
  sessions: readonly SessionSummary[],
  { columns, style, now }: { readonly columns: number; readonly style: Style; readonly now: number },
): string[] {
  const idWidth = shortIdLength(sessions);
  const agentWidth = Math.min(Math.max(...sessions.map(({ provider }) => provider.length), 0), MAX_AGENT);
  return sessions.map((session) => {
    const { provider, isRead } = session;
    const id = idOf(session.resource).slice(0, idWidth);
    const agent = padTo(fit(provider, agentWidth), agentWidth);
    const time = relativeTime(session.modifiedAt, now).padStart(4);
    const rest = Math.max(columns - (2 + idWidth + 1 + agentWidth + 1 + time.length + 1), MIN_TITLE);
    const title = fit(titleOf(session), rest);
    const news = fit(newsOf(session), Math.max(rest - textWidth(title) - 2, 0));
    return [
      statusGlyph(session, style),
      style.dim(padTo(id, idWidth)),
      style.dim(agent),
      style.dim(time),
      `${isRead ? title : style.bold(title)}${news ? `  ${paintNews(session, news, style)}` : ''}`,
    ].join(' ');
  });
}

/** For programs: the same fields in every line, separated by tabs. */
export function sessionLine(session: SessionSummary): string {
  const { resource, status, provider, modifiedAt, workingDirectory = '' } = session;
  const folder = workingDirectory.startsWith('file://') ? decodeURIComponent(workingDirectory.slice(7)) : '';
  const fields = [idOf(resource), STATUS_WORD[status], provider, dateOf(modifiedAt).toISOString(), titleOf(session)];
  return [...fields, safeLine(folder)].join('\t');
}

/** As long as the ids need to be distinct. */
function shortIdLength(sessions: readonly SessionSummary[]): number {
  const ids = sessions.map(({ resource }) => idOf(resource));
  const longest = Math.max(...ids.map((id) => id.length), MIN_ID);
  for (let length = MIN_ID; length < longest; length++) {
    if (new Set(ids.map((id) => id.slice(0, length))).size === ids.length) return length;
  }
  return longest;
}

function newsOf({ activity, status, changes = [], isArchived, metadata }: SessionSummary): string {
  const [insertions, deletions] = changes.reduce(
    ([plus, minus], change) => [plus + change.insertions, minus + change.deletions],
    [0, 0],
  );
  const delta = changes.length > 0 ? `+${insertions} −${deletions}` : '';
  const state = status === 'idle' ? '' : safeLine(activity ?? STATUS_WORD[status]);
  const away = metadata?.['away'] === true ? 'away' : '';
  return [state, delta, away, isArchived ? 'archived' : ''].filter(Boolean).join(' · ');
}

function paintNews({ status }: SessionSummary, text: string, style: Style): string {
  if (status === 'inputNeeded') return style.needs(text);
  if (status === 'error') return style.error(text);
  return status === 'inProgress' ? style.run(text) : style.dim(text);
}
