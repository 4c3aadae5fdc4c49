import { cutCall, isConfirmation, type Prompt, promptText } from '../turn/prompt.js';
import type { AttachModel } from './attachModel.js';
import { wrapText } from './lines/wrapText.js';

/** The part of a prompt's text that is on the screen. */
export interface PromptView {
  /** Changes with the prompt or the width. */
  readonly key: string;
  readonly title: string;
  readonly lines: readonly string[];
  /** The rows available for `lines`, and the first shown line. */
  readonly rows: number;
  readonly top: number;
  /** Whether every line was on the screen. */
  readonly isSeen: boolean;
}

type Wrapped = Pick<PromptView, 'key' | 'title' | 'lines'>;

/** Cached, because the screen is drawn many times a second, and a command may have thousands of lines. */
const wrapped = new WeakMap<Prompt, Wrapped>();

/** Inputs that the state has only in part: the whole text, or why it could not be read. */
const inputs = new WeakMap<Prompt, { readonly text?: string; readonly problem?: string }>();

export function promptView(model: AttachModel, prompt: Prompt, columns: number, rows: number): PromptView {
  const { ui } = model;
  const input = wholeInput(model, prompt);
  const text = wrappedText(prompt, columns, input);
  const { key, lines } = text;
  const scrolled = ui.asked?.key === key ? ui.asked : { top: 0, seen: 0 };
  const top = Math.max(0, Math.min(scrolled.top, lines.length - rows));
  return { ...text, rows, top, isSeen: isWhole(prompt, input) && Math.max(scrolled.seen, top + rows) >= lines.length };
}

/** Fetched when it is first needed; then the screen is drawn again. */
function wholeInput(model: AttachModel, prompt: Prompt): string | undefined {
  const call = cutCall(prompt);
  const { chat } = model;
  if (!call || !chat) return undefined;
  const known = inputs.get(prompt);
  if (known) return known.text ?? known.problem;
  inputs.set(prompt, {});
  const found = (input: { readonly text?: string; readonly problem?: string }) => {
    inputs.set(prompt, input);
    model.update({});
  };
  chat.wholeInput(call).then(
    (text) => found({ text }),
    (error: unknown) => found({ problem: `All of it could not be read: ${String(error)}` }),
  );
  return undefined;
}

/** A command must not be allowed before all of it was shown. */
function isWhole(prompt: Prompt, input: string | undefined): boolean {
  return cutCall(prompt) === undefined || (input !== undefined && inputs.get(prompt)?.text !== undefined);
}

/** Returns whether it scrolled. It starts from the current position: several keys may come before the next drawing. */
export function scrollPrompt(model: AttachModel, { key, lines, rows }: PromptView, by: number): boolean {
  if (lines.length <= rows) return false;
  const { top, seen } = model.ui.asked?.key === key ? model.ui.asked : { top: 0, seen: rows };
  const to = Math.max(0, Math.min(top + by, lines.length - rows));
  model.update({ asked: { key, top: to, seen: Math.max(seen, to + rows) } });
  return true;
}

function wrappedText(prompt: Prompt, columns: number, input: string | undefined): Wrapped {
  const id = isConfirmation(prompt) ? prompt.toolCall.toolCallId : prompt.request.requestId;
  const key = `${columns} ${prompt.turnId} ${id} ${input?.length ?? ''}`;
  const known = wrapped.get(prompt);
  if (known?.key === key) return known;
  const [title = '', ...lines] = wrapText(promptText(prompt, input), columns, Number.POSITIVE_INFINITY);
  const text = { key, title, lines };
  wrapped.set(prompt, text);
  return text;
}
