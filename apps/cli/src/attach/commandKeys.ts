import type { SessionCommand } from '@agenthost/protocol';
import { fittingCommands } from '@agenthost/sessions';
import type { AttachModel } from './attachModel.js';
import { editOf } from './textEdit.js';

/** The agent's commands that match the text after a slash. */
export function offerCommands(model: AttachModel): void {
  const found = fitting(model);
  if (found.length === 0) return;
  const [first] = found;
  const words =
    found.length === 1 && first
      ? [first.inputHint, first.description].filter(Boolean).join(' · ')
      : found.slice(1).map(nameOf).join(' ');
  model.notify(`Tab: ${found.slice(0, 1).map(nameOf).join('')}${words && ` · ${words}`}`);
}

/** Whether there was something to complete. */
export function completeCommand(model: AttachModel): boolean {
  const [first] = fitting(model);
  if (!first || model.ui.focus !== 'composer') return false;
  model.update({ composer: editOf(`${nameOf(first)} `) });
  return true;
}

function fitting({ ui, chat }: AttachModel): readonly SessionCommand[] {
  return fittingCommands(chat?.state.value?.commands ?? [], ui.composer.text);
}

function nameOf({ name }: SessionCommand): string {
  return `/${name}`;
}
