import { ActionRejectedError } from '@agenthost/client';
import type { ToolCallState } from '@agenthost/protocol';
import { safeText } from '../text/safeText.js';
import { answerPrompt, isConfirmation, type Prompt, promptChoices, takesText } from '../turn/prompt.js';
import type { AttachModel } from './attachModel.js';
import { editOf, NOTHING } from './textEdit.js';

/** What waits for an answer in the open session; the first one is asked. */
export function currentPrompt({ chat }: AttachModel): Prompt | undefined {
  return chat?.confirmations.value[0] ?? chat?.permissions.value[0];
}

/** Another command than the one that was asked about is written, not allowed. */
export function canEdit(model: AttachModel, prompt: Prompt): boolean {
  const mayType = model.may('session/toolCallConfirmed', { editedToolInput: '' });
  return mayType && isConfirmation(prompt) && prompt.toolCall.confirmation.editable === true;
}

export function promptKey(model: AttachModel, input: string) {
  const prompt = currentPrompt(model);
  if (!prompt) return model.update({ focus: 'composer' });
  if (!model.may('session/toolCallConfirmed')) return;
  const pressed = input.toLowerCase();
  const key = pressed === 'x' ? 'n' : pressed;
  const chosen = promptChoices(prompt).find((choice) => choice.key === key);
  if (chosen) return finish(model, answerPrompt(prompt, chosen));
  if (key === 'e' && canEdit(model, prompt) && isConfirmation(prompt)) {
    model.update({ dialog: { kind: 'command', edit: editOf(prompt.toolCall.toolInput ?? '') } });
  }
  if (key === 'v' && isConfirmation(prompt)) return showInput(model, prompt.toolCall);
  if (key === 't' && takesText(prompt)) model.update({ dialog: { kind: 'answer', edit: NOTHING } });
}

/** The prompt has room for a few lines only. */
function showInput(model: AttachModel, call: ToolCallState) {
  const { chat } = model;
  if (!chat) return;
  model.attempt(
    chat.wholeInput(call).then((text) => model.update({ dialog: { kind: 'input', text: safeText(text), from: 0 } })),
  );
}

/** What was typed for the prompt: a changed command, or an answer. */
export function answerWithText(model: AttachModel, text: string) {
  const prompt = currentPrompt(model);
  if (!prompt) return model.notify('Somebody else has answered meanwhile.');
  if (isConfirmation(prompt)) finish(model, prompt.approve({ editedToolInput: text }));
  else finish(model, prompt.answer({ approved: true, text }));
}

function finish(model: AttachModel, answering: Promise<void>): void {
  const isLast = (model.chat?.confirmations.value.length ?? 0) + (model.chat?.permissions.value.length ?? 0) === 0;
  if (isLast) model.update({ focus: 'composer' });
  model.attempt(
    answering.catch((error: unknown) => {
      if (!(error instanceof ActionRejectedError)) throw error;
      model.notify(`Your answer wasn't used: ${error.reason}.`);
    }),
  );
}
