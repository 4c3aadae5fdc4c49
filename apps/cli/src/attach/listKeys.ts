import { SessionStatus } from '@agenthost/sessions';
import type { Key } from 'ink';
import type { AttachModel } from './attachModel.js';
import { editOf } from './textEdit.js';

/** Keys of the list, the same as on the page where a terminal has them. */
export function listKey(model: AttachModel, input: string, key: Key) {
  if (key.downArrow || input === 'j') return select(model, model.ui.selected + 1, 1);
  if (key.upArrow || input === 'k') return select(model, model.ui.selected - 1, -1);
  if (key.home) return select(model, 0, 1);
  if (key.end || input === 'G') return select(model, model.list.length - 1, -1);
  if (key.pageDown) return select(model, model.ui.selected + 10, 1);
  if (key.pageUp) return select(model, model.ui.selected - 10, -1);
  const item = model.list.at(model.ui.selected);
  if (key.return && item?.kind === 'group') return model.list.setCollapsed(item.group.key, !item.isCollapsed);
  if (input === 'n') return model.update({ dialog: { kind: 'new', agent: 0, folder: editOf(process.cwd()) } });
  if (input === '/') return model.update({ dialog: { kind: 'search', edit: editOf(model.list.filter.text ?? '') } });
  if (input === 'i') return openWaiting(model);
  if (input === 'a') return toggleArchived(model);
  const session = model.selectedSession;
  if (!session) return;
  const { sessionId } = session;
  if (key.return || input === 'c') return model.open(session.mainChat.resource);
  if (input === 'e') {
    const isArchived = session.isArchived.value;
    const { provider } = model;
    model.attempt(isArchived ? provider.unarchiveSession(sessionId) : provider.archiveSession(sessionId));
  }
  if (input === 'u') model.attempt(model.provider.setRead(sessionId, !session.isRead.value));
  if (input === 'r') model.update({ dialog: { kind: 'rename', edit: editOf(session.title.value) } });
  if (input === 'f') {
    const forking = model.provider.forkChat(session.mainChat.resource);
    model.attempt(forking.then((fork) => model.open(fork.mainChat.resource)));
  }
  if (key.delete || input === 'D') model.update({ dialog: { kind: 'delete', title: session.title.value } });
}

/** Headings are skipped, in the direction of the move. */
export function select(model: AttachModel, line: number, direction: 1 | -1) {
  const last = model.list.length - 1;
  let wanted = Math.max(0, Math.min(line, last));
  if (wanted >= last - 5 && model.provider.hasMoreSessions.value) model.attempt(model.provider.loadMoreSessions());
  while (model.list.at(wanted)?.kind === 'group' && !isCollapsed(model, wanted)) {
    const next = wanted + direction;
    if (next < 0 || next > last) {
      wanted = Math.min(wanted + 1, Math.max(last, 0));
      break;
    }
    wanted = next;
  }
  const item = model.list.at(wanted);
  if (item?.kind === 'session') model.update({ selected: wanted, selectedId: item.session.sessionId });
  else model.update({ selected: wanted, selectedId: '' });
}

function isCollapsed(model: AttachModel, line: number): boolean {
  const item = model.list.at(line);
  return item?.kind === 'group' && item.isCollapsed;
}

/** The next session that needs input. */
function openWaiting(model: AttachModel) {
  const waiting = model.provider.getSessions().find(({ status }) => status.value === SessionStatus.NeedsInput);
  if (waiting) model.open(waiting.mainChat.resource);
  else model.notify('Nothing needs you.');
}

function toggleArchived(model: AttachModel): void {
  const { isArchived, ...rest } = model.list.filter;
  model.list.setFilter(isArchived === undefined ? { ...rest, isArchived: false } : rest);
  model.update({ selected: 1, selectedId: '' });
}
