import type { Key } from 'ink';
import type { AttachModel } from './attachModel.js';
import { completeCommand } from './commandKeys.js';
import { composerKey } from './composerKeys.js';
import { dialogKey } from './dialogKeys.js';
import { stopTurn } from './heldQueue.js';
import { interruptCommand, openInput } from './inputKeys.js';
import { keyFocus } from './keyFocus.js';
import { listKey } from './listKeys.js';
import { currentPrompt, promptKey } from './promptKeys.js';
import { type PromptView, scrollPrompt } from './promptView.js';
import { settingKey } from './settingKeys.js';
import type { Focus } from './uiState.js';

/** How soon the second Ctrl+C has to follow the first. */
const DOUBLE_MS = 2_000;

export interface Screen {
  /** Rows of the conversation. */
  readonly rows: number;
  /** How far up the conversation can be scrolled. */
  readonly maxScroll: number;
  /** The part of the question that is on the screen. */
  readonly prompt?: PromptView | undefined;
}

/** Others are Ctrl and a letter. */
const CONTROL_KEYS: Readonly<Record<string, keyof Key>> = {
  '\r': 'return',
  '\t': 'tab',
  '\u001b': 'escape',
  '\u007f': 'backspace',
};

/** Dispatches every key. */
export class Keys {
  readonly #model: AttachModel;
  readonly #leave: () => void;
  #interruptedAt = 0;

  constructor(model: AttachModel, leave: () => void) {
    this.#model = model;
    this.#leave = leave;
  }

  /** Fast typing arrives in one piece; each key of it counts separately. */
  press(input: string, key: Key, screen: Screen) {
    if (input.length < 2 || key.ctrl || key.meta) return this.#press(input, key, screen);
    for (const piece of input.match(/\p{Control}|\P{Control}+/gu) ?? []) {
      const named = CONTROL_KEYS[piece];
      if (named) this.#press('', { ...key, [named]: true }, screen);
      else if (piece < ' ') this.#press(String.fromCharCode(piece.charCodeAt(0) + 96), { ...key, ctrl: true }, screen);
      else for (const part of this.#takesText() ? [piece] : piece) this.#press(part, key, screen);
    }
  }

  #takesText(): boolean {
    const { dialog, focus } = this.#model.ui;
    return dialog ? 'edit' in dialog || dialog.kind === 'new' : focus === 'composer';
  }

  #press(input: string, key: Key, screen: Screen) {
    const model = this.#model;
    const { dialog, composer } = model.ui;
    if (key.ctrl && input === 'c')
      return dialog?.kind === 'input' ? interruptCommand(model, dialog) : this.#interrupt();
    model.clear('notice');
    if (dialog) return dialogKey(model, dialog, input, key);
    const focus = keyFocus(model);
    if (key.tab && !key.shift && completeCommand(model)) return;
    if (key.tab) return moveFocus(model, key.shift ? -1 : 1);
    if (key.ctrl && input === 'd' && composer.text === '') return this.#leave();
    if (focus === 'prompt' && this.#scrollPrompt(key, screen.prompt)) return;
    if (key.pageUp && focus !== 'list') return scroll(model, Math.max(screen.rows - 2, 1), screen);
    if (key.pageDown && focus !== 'list') return scroll(model, -Math.max(screen.rows - 2, 1), screen);
    if (key.ctrl && input === 'g') return model.update({ scrolledUp: 0 });
    if (focus !== 'list' && (settingKey(model, input, key) || openInput(model, input, key))) return;
    if (focus === 'prompt' && key.escape) return setPromptAside(model);
    if (focus === 'prompt' && !key.ctrl && !key.meta && promptKey(model, input, screen.prompt)) return;
    // What does not answer a question that has taken the keys starts a message, or does what it does while one writes.
    if (focus === 'composer' || model.ui.focus === 'composer') return composerKey(model, input, key);
    if (input === '?') return model.update({ dialog: { kind: 'help' } });
    if (input === 'q') return this.#leave();
    if (input === '[') return model.update({ isListHidden: !model.ui.isListHidden, focus: 'composer' });
    if (focus === 'list') listKey(model, input, key);
  }

  /** For a text that does not fit. */
  #scrollPrompt({ upArrow, downArrow, pageUp, pageDown }: Key, view: PromptView | undefined): boolean {
    const page = Math.max((view?.rows ?? 1) - 1, 1);
    const by = upArrow ? -1 : downArrow ? 1 : pageUp ? -page : pageDown ? page : 0;
    return view !== undefined && by !== 0 && scrollPrompt(this.#model, view, by);
  }

  /** Once stops the turn, twice leaves. */
  #interrupt() {
    const model = this.#model;
    const isSecond = Date.now() - this.#interruptedAt < DOUBLE_MS;
    this.#interruptedAt = Date.now();
    if (isSecond) return this.#leave();
    if (!model.chat?.state.value?.activeTurn) return model.notify('Ctrl+C again leaves.');
    stopTurn(model);
    model.notify('Stopping the turn. Ctrl+C again leaves.');
  }
}

/** Keys are for the composer until this question is answered. */
function setPromptAside(model: AttachModel) {
  const prompt = currentPrompt(model);
  model.update({ focus: 'composer', ...(prompt && { setAside: prompt }) });
}

function moveFocus(model: AttachModel, step: 1 | -1) {
  const next = nextFocus(model, step);
  // Whoever goes to the composer wants to write.
  if (next === 'composer') setPromptAside(model);
  else model.update({ focus: next });
}

function nextFocus(model: AttachModel, step: 1 | -1): Focus {
  const order: Focus[] = [
    'composer',
    ...(currentPrompt(model) ? (['prompt'] as const) : []),
    ...(model.ui.isListHidden ? [] : (['list'] as const)),
  ];
  const at = order.indexOf(keyFocus(model));
  return order[(at + step + order.length) % order.length] ?? 'composer';
}

function scroll(model: AttachModel, by: number, { maxScroll }: Screen) {
  const wanted = model.ui.scrolledUp + by;
  const hasEarlier = (model.chat?.state.value?.earlierTurns ?? 0) > 0;
  if (wanted >= maxScroll && hasEarlier && model.chat) model.attempt(model.chat.loadEarlierTurns());
  model.update({ scrolledUp: Math.max(0, Math.min(wanted, maxScroll)) });
}
