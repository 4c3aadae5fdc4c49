import type { Key } from 'ink';
import { inputCall } from '../turn/inputCall.js';
import type { AttachModel } from './attachModel.js';
import { editKey } from './editKeys.js';
import { NOTHING } from './textEdit.js';
import type { Dialog } from './uiState.js';

type InputDialog = Dialog & { readonly kind: 'input' };

/** Whether a command runs that this user may type into. */
export function canType(model: AttachModel): boolean {
  const state = model.chat?.state.value;
  return state !== undefined && inputCall(state) !== undefined && model.may('session/toolInput');
}

/** Ctrl+T opens the line for the running command. */
export function openInput(model: AttachModel, input: string, key: Key): boolean {
  if (!key.ctrl || input !== 't') return false;
  const state = model.chat?.state.value;
  const call = state && inputCall(state);
  if (!call) model.notify('No command runs that takes input.');
  else if (!model.may('session/toolInput')) model.notify('Only a device with the role driver types into a command.');
  else model.update({ dialog: { kind: 'input', edit: NOTHING, toolCallId: call.toolCallId } });
  return true;
}

/** The line stays open for the next one. */
export function inputKey(model: AttachModel, dialog: InputDialog, input: string, key: Key) {
  const { chat } = model;
  const { edit, toolCallId } = dialog;
  if (key.escape || !chat?.state.value) return model.clear('dialog');
  if (inputCall(chat.state.value)?.toolCallId !== toolCallId) {
    // What was typed may be a password: it does not become a message.
    model.clear('dialog');
    return model.notify('The command has ended.');
  }
  if (key.return) {
    model.update({ dialog: { ...dialog, edit: NOTHING } });
    return model.attempt(chat.sendInput(toolCallId, { kind: 'line', text: edit.text }));
  }
  if (key.ctrl && input === 'd' && edit.text === '') {
    return model.attempt(chat.sendInput(toolCallId, { kind: 'endOfInput' }));
  }
  const edited = editKey(edit, input, key);
  if (edited) model.update({ dialog: { ...dialog, edit: edited } });
}

/** Ctrl+C in that line is for the command, not for the turn. */
export function interruptCommand(model: AttachModel, { toolCallId }: InputDialog): void {
  if (model.chat) model.attempt(model.chat.sendInput(toolCallId, { kind: 'interrupt' }));
}
