import type { Key } from 'ink';
import type { AttachModel } from './attachModel.js';
import { offerCommands } from './commandKeys.js';
import { editKey } from './editKeys.js';
import { letQueueGo, stopTurn } from './heldQueue.js';
import { editOf, insert, NOTHING } from './textEdit.js';

/** How soon the second Esc has to follow the first. */
const DOUBLE_MS = 1_000;
let escapedAt = 0;

export function composerKey(model: AttachModel, input: string, key: Key) {
  if (key.escape) return goBack(model);
  // The composer shows why.
  if (!model.may('session/turnStarted')) return;
  const { composer, editing } = model.ui;
  const state = model.chat?.state.value;
  if (key.return && !key.meta && !key.shift) return send(model, 'submit');
  if (key.ctrl && input === 's') return send(model, 'steer');
  if (key.ctrl && input === 'r') return letQueueGo(model);
  if (key.return || (key.ctrl && input === 'j')) return model.update({ composer: insert(composer, '\n') });
  const lastQueued = state?.queuedMessages?.at(-1);
  if (key.upArrow && composer.text === '' && lastQueued && !editing) {
    return model.update({ composer: editOf(lastQueued.userMessage.text), editing: lastQueued.id });
  }
  const edited = editKey(composer, input, key);
  if (!edited) return;
  model.update({ composer: edited });
  offerCommands(model);
}

function send(model: AttachModel, how: 'submit' | 'steer') {
  const { chat, ui } = model;
  const text = ui.composer.text.trim();
  if (!chat) return model.notify('Open a session first: Tab, then Enter.');
  const { editing } = ui;
  if (text === '') {
    if (editing !== undefined) model.attempt(chat.removePending(editing));
    model.clear('editing');
    return;
  }
  const steers = how === 'steer' && chat.state.value?.activeTurn !== undefined;
  const sending =
    editing !== undefined ? chat.editPending(editing, text) : steers ? chat.steer(text) : chat.submit(text);
  model.clear('editing');
  model.update({ composer: NOTHING, scrolledUp: 0 });
  // A refused text returns to the composer, unless something else was typed meanwhile.
  model.attempt(
    sending.catch((error: unknown) => {
      if (model.ui.composer.text === '') model.update({ composer: editOf(text) });
      throw error;
    }),
  );
}

/** Once leaves the edit, twice stops the turn. */
function goBack(model: AttachModel) {
  if (model.ui.editing !== undefined) {
    model.clear('editing');
    return model.update({ composer: NOTHING });
  }
  const isSecond = Date.now() - escapedAt < DOUBLE_MS;
  escapedAt = isSecond ? 0 : Date.now();
  if (isSecond && model.chat?.state.value?.activeTurn) return stopTurn(model);
  if (model.chat?.state.value?.activeTurn) return model.notify('Esc again stops the turn.');
  model.update({ focus: 'list' });
}
