import { isConfirmation, type Prompt, promptText } from '../turn/prompt.js';
import type { AttachModel } from './attachModel.js';
import { wrapText } from './lines/wrapText.js';

/** What of a prompt's text is on the screen. */
export interface PromptView {
  /** Another one for another prompt, or another width. */
  readonly key: string;
  readonly title: string;
  readonly lines: readonly string[];
  /** Rows that there are for `lines`, and the first of them that is shown. */
  readonly rows: number;
  readonly top: number;
  /** Every line was on the screen. */
  readonly isSeen: boolean;
}

type Wrapped = Pick<PromptView, 'key' | 'title' | 'lines'>;

/** The screen is drawn many times a second, and a command may have thousands of lines. */
const wrapped = new WeakMap<Prompt, Wrapped>();

export function promptView({ ui }: AttachModel, prompt: Prompt, columns: number, rows: number): PromptView {
  const text = wrappedText(prompt, columns);
  const { key, lines } = text;
  const scrolled = ui.asked?.key === key ? ui.asked : { top: 0, seen: 0 };
  const top = Math.max(0, Math.min(scrolled.top, lines.length - rows));
  return { ...text, rows, top, isSeen: Math.max(scrolled.seen, top + rows) >= lines.length };
}

/** Answers whether there was something to scroll. From where it is by now: several keys may come before the next drawing. */
export function scrollPrompt(model: AttachModel, { key, lines, rows }: PromptView, by: number): boolean {
  if (lines.length <= rows) return false;
  const { top, seen } = model.ui.asked?.key === key ? model.ui.asked : { top: 0, seen: rows };
  const to = Math.max(0, Math.min(top + by, lines.length - rows));
  model.update({ asked: { key, top: to, seen: Math.max(seen, to + rows) } });
  return true;
}

function wrappedText(prompt: Prompt, columns: number): Wrapped {
  const id = isConfirmation(prompt) ? prompt.toolCall.toolCallId : prompt.request.requestId;
  const key = `${columns} ${prompt.turnId} ${id}`;
  const known = wrapped.get(prompt);
  if (known?.key === key) return known;
  const [title = '', ...lines] = wrapText(promptText(prompt), columns, Number.POSITIVE_INFINITY);
  const text = { key, title, lines };
  wrapped.set(prompt, text);
  return text;
}
