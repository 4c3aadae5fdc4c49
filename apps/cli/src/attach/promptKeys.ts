import { ActionRejectedError } from '@agenthost/client';
import { answerPrompt, isConfirmation, type Prompt, promptChoices, takesText } from '../turn/prompt.js';
import type { AttachModel } from './attachModel.js';
import { openForm } from './formKeys.js';
import type { PromptView } from './promptView.js';
import { editOf, NOTHING } from './textEdit.js';

/** The open questions of the session; the first one is shown. */
export function currentPrompt(model: AttachModel): Prompt | undefined {
  return openPrompts(model)[0];
}

function openPrompts({ chat }: AttachModel): readonly Prompt[] {
  return [...(chat?.confirmations.value ?? []), ...(chat?.permissions.value ?? [])];
}

/** Approving an edited command needs more than the role of an approver. */
export function canEdit(model: AttachModel, prompt: Prompt): boolean {
  const mayType = model.may('session/toolCallConfirmed', { editedToolInput: '' });
  return mayType && isConfirmation(prompt) && prompt.toolCall.confirmation.editable === true;
}

/** Whether the key answered the question, or began to. */
export function promptKey(model: AttachModel, input: string, view: PromptView | undefined): boolean {
  const prompt = currentPrompt(model);
  if (!prompt || !model.may('session/toolCallConfirmed')) return false;
  const pressed = input.toLowerCase();
  if (pressed === 'f' && !isConfirmation(prompt) && prompt.request.form) {
    openForm(model, prompt);
    return true;
  }
  const key = pressed === 'x' ? 'n' : pressed;
  const chosen = promptChoices(prompt).find((choice) => choice.key === key);
  if (chosen?.approves && view?.isSeen === false) model.notify('Look at the rest of it first: ↓ or Page Down.');
  else if (chosen) finish(model, answerPrompt(prompt, chosen));
  if (chosen) return true;
  if (key === 'e' && canEdit(model, prompt) && isConfirmation(prompt)) {
    model.update({ dialog: { kind: 'command', edit: editOf(prompt.toolCall.toolInput ?? ''), prompt } });
    return true;
  }
  if (key !== 't' || !takesText(prompt)) return false;
  model.update({ dialog: { kind: 'answer', edit: NOTHING, prompt } });
  return true;
}

/** Text that was typed for the prompt: a changed command, or an answer. Another prompt doesn't get it. */
export function answerWithText(model: AttachModel, prompt: Prompt, text: string) {
  if (!openPrompts(model).includes(prompt)) return model.notify('Another client has answered meanwhile.');
  if (isConfirmation(prompt)) finish(model, prompt.approve({ editedToolInput: text }));
  else finish(model, prompt.answer({ approved: true, text }));
}

function finish(model: AttachModel, answering: Promise<void>): void {
  const isLast = openPrompts(model).length === 0;
  if (isLast) model.update({ focus: 'composer' });
  model.attempt(
    answering.catch((error: unknown) => {
      if (!(error instanceof ActionRejectedError)) throw error;
      model.notify(`Your answer wasn't used: ${error.reason}.`);
    }),
  );
}
