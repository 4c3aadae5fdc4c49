import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { Decision } from '../../agent.js';
import { oneLine } from '../../events/boundedText.js';

/** The maximum number of reasons that wait for the agent. */
const MAX_REASONS = 20;
const MAX_SUBJECT = 200;
const MAX_REASON = 10_000;

/** Reasons for denied calls. ACP's answer has no field for them, so the model gets them with the next message. */
export class RefusalReasons {
  #reasons: string[] = [];

  add(what: string, { approved, reason, text, editedToolInput }: Decision): void {
    const edited = editedToolInput === undefined ? undefined : `Not this. Use this instead: ${editedToolInput}`;
    const why = (reason ?? text ?? (approved ? edited : undefined))?.trim();
    if (!why || this.#reasons.length >= MAX_REASONS) return;
    this.#reasons.push(
      `The user did not allow this: ${oneLine(what, MAX_SUBJECT)}\nThe reason: ${why.slice(0, MAX_REASON)}`,
    );
  }

  /** The answer to a form has no word for it either. */
  skipped(what: string): void {
    if (this.#reasons.length >= MAX_REASONS) return;
    this.#reasons.push(
      `The user skipped your question: ${oneLine(what, MAX_SUBJECT)}\nThat means: you decide. If you have already done so, there is nothing more to do.`,
    );
  }

  /** The message with the reasons, once; empty without any. */
  take(): ContentBlock[] {
    const reasons = this.#reasons;
    this.#reasons = [];
    return reasons.length === 0 ? [] : [{ type: 'text', text: reasons.join('\n\n') }];
  }
}
