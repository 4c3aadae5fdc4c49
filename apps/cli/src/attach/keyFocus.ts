import type { AttachModel } from './attachModel.js';
import { currentPrompt } from './promptKeys.js';
import type { Focus } from './uiState.js';

/**
 * The part of the screen that gets the keys. A question gets them while nothing is typed, except one that the user has set aside and
 * one that has just appeared: a letter that was meant for a message must not answer it.
 */
export function keyFocus(model: AttachModel): Focus {
  const { focus, composer, editing, setAside } = model.ui;
  const prompt = currentPrompt(model);
  if (focus === 'prompt') return prompt ? 'prompt' : 'composer';
  if (focus === 'list' || !prompt || composer.text !== '' || editing !== undefined) return focus;
  const answers = model.may('session/toolCallConfirmed') && prompt !== setAside && !model.hasJustAppeared(prompt);
  return answers ? 'prompt' : 'composer';
}
