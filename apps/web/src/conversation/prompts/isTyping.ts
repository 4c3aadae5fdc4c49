/** Whether letters are for a text field: then they are no keys of a prompt. */
export function isTyping(target: EventTarget): boolean {
  if (target instanceof HTMLTextAreaElement) return true;
  return target instanceof HTMLInputElement && target.type !== 'radio' && target.type !== 'checkbox';
}
