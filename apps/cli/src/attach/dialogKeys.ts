import { pathToFileURL } from 'node:url';
import type { Key } from 'ink';
import type { AttachModel } from './attachModel.js';
import { editKey } from './editKeys.js';
import { formKey, withFormEdit } from './formKeys.js';
import { inputKey } from './inputKeys.js';
import { answerWithText } from './promptKeys.js';
import type { TextEdit } from './textEdit.js';
import type { Dialog } from './uiState.js';

export function dialogKey(model: AttachModel, dialog: Dialog, input: string, key: Key) {
  if (dialog.kind === 'input') return inputKey(model, dialog, input, key);
  if (key.escape) return close(model, dialog);
  if (dialog.kind === 'help') return model.clear('dialog');
  if (dialog.kind === 'form') return formKey(model, dialog, input, key);
  if (dialog.kind === 'delete') {
    model.clear('dialog');
    const session = model.selectedSession;
    if (input.toLowerCase() === 'y' && session) model.attempt(model.provider.deleteSession(session.sessionId));
    return;
  }
  if (key.return) return accept(model, dialog);
  if (dialog.kind === 'new' && (key.upArrow || key.downArrow || key.tab)) {
    const agents = usableAgents(model).length;
    const step = key.upArrow ? agents - 1 : 1;
    return model.update({ dialog: { ...dialog, agent: (dialog.agent + step) % Math.max(agents, 1) } });
  }
  const edited = editKey(dialog.kind === 'new' ? dialog.folder : dialog.edit, input, key);
  if (edited) model.update({ dialog: withEdit(dialog, edited) });
  if (edited && dialog.kind === 'search') search(model, edited.text);
}

export function withEdit(dialog: Dialog, edit: TextEdit): Dialog {
  if (dialog.kind === 'new') return { ...dialog, folder: edit };
  if (dialog.kind === 'form') return withFormEdit(dialog, edit);
  return 'edit' in dialog ? { ...dialog, edit } : dialog;
}

export function usableAgents(
  model: AttachModel,
): readonly { readonly provider: string; readonly displayName: string }[] {
  return model.provider.status.agents.value.filter(({ availability }) => availability.state === 'available');
}

function close(model: AttachModel, dialog: Dialog): void {
  if (dialog.kind === 'search') search(model, '');
  model.clear('dialog');
}

function accept(model: AttachModel, dialog: Dialog) {
  model.clear('dialog');
  if (dialog.kind === 'new') return createSession(model, dialog);
  if (!('edit' in dialog) || dialog.kind === 'form') return;
  const text = dialog.edit.text.trim();
  if (dialog.kind === 'command' || dialog.kind === 'answer')
    return text === '' ? undefined : answerWithText(model, dialog.prompt, text);
  const session = model.selectedSession;
  if (dialog.kind === 'rename' && session && text !== '') {
    model.attempt(model.provider.renameChat(session.sessionId, session.mainChat.resource, text));
  }
}

/** Filters the list at once; the host is asked for the rest. */
function search(model: AttachModel, text: string): void {
  const { text: _, ...filter } = model.list.filter;
  model.list.setFilter(text === '' ? filter : { ...filter, text });
  model.update({ selected: 1, selectedId: '' });
  if (text.trim().length < 2) return;
  model.attempt(
    model.provider.searchSessions(text).then(({ results }) => {
      if (model.list.filter.text === text) model.list.setFound(results.map(({ session }) => session.sessionId));
    }),
  );
}

function createSession(model: AttachModel, { agent, folder }: Dialog & { kind: 'new' }) {
  const chosen = usableAgents(model)[agent];
  if (!chosen) return model.notify('The host has no agent that could do it; see agenthost doctor.', true);
  const workingDirectory = pathToFileURL(folder.text.trim() || '/').href;
  const creating = model.host.createSession({ provider: chosen.provider, workingDirectory });
  model.attempt(
    creating.then((session) => {
      model.open(session.uri);
      session.close();
    }),
  );
}
