import type { AgentEvent } from '../../agent.js';
import { oneLine } from '../../events/boundedText.js';
import type { PromptOutcome } from '../acpConnection.js';
import { AcpFailure } from '../acpFailure.js';
import type { ContentBlockFields, SessionUpdate } from '../updateSchemas.js';
import { blockContent, blockText } from './contentBlocks.js';
import { LastWords, type SaidError } from './errorProse.js';
import type { ToolCalls } from './toolCalls.js';
import type { UsageMeter } from './usageMeter.js';

/** The maximum length of a mode's name. */
const MAX_MODE = 200;

export interface TurnUpdatesOptions {
  readonly agentName: string;
  readonly calls: ToolCalls;
  readonly usage: UsageMeter;
  emit(event: AgentEvent): void;
  modeName(id: string): string;
}

/** Turns an agent's updates during one turn into events. */
export class TurnUpdates {
  readonly #options: TurnUpdatesOptions;
  readonly #lastWords = new LastWords();

  constructor(options: TurnUpdatesOptions) {
    this.#options = options;
  }

  take(update: SessionUpdate): void {
    const { emit, calls, modeName } = this.#options;
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        this.#block('text', update.content);
        break;
      case 'agent_thought_chunk':
        this.#block('reasoning', update.content);
        break;
      case 'tool_call':
      case 'tool_call_update':
        this.#lastWords.restart();
        calls.update(update);
        break;
      case 'plan':
        emit({ type: 'plan', markdown: checklist(update.entries) });
        break;
      case 'current_mode_update':
        emit({ type: 'notice', text: `Mode: ${oneLine(modeName(update.currentModeId), MAX_MODE)}`, severity: 'info' });
        break;
      case 'usage_update':
        this.#options.usage.updated(update);
        break;
      case 'notice': {
        const text = update.description ? `${update.title}\n\n${update.description}` : update.title;
        emit({ type: 'notice', text, severity: severityOf(update.severity) });
        break;
      }
    }
  }

  #block(type: 'text' | 'reasoning', block: ContentBlockFields): void {
    const content = blockContent(block);
    if (content || type === 'reasoning') this.#lastWords.restart();
    else this.#lastWords.add(blockText(block));
    this.#options.emit(content ? { type: 'content', content } : { type, text: blockText(block) });
  }

  /** The events at the end of a turn. Throws when the turn has failed, whatever the agent calls it. */
  end({ stopReason }: PromptOutcome, model: string | undefined): void {
    const { emit, usage } = this.#options;
    const info = usage.usage;
    if (info) emit({ type: 'usage', usage: { ...info, ...(model !== undefined && { model }) } });
    const text = STOPPED[stopReason];
    if (text !== undefined) emit({ type: 'notice', text, severity: 'warning' });
    const failed = FAILED[stopReason];
    if (failed !== undefined) throw new AcpFailure('agentError', `${this.#options.agentName} ${failed}`);
    const said = this.#lastWords.error(info?.outputTokens);
    if (said) throw saidFailure(said, this.#options.agentName);
  }
}

const STOPPED: Readonly<Record<string, string>> = {
  max_tokens: 'The model stopped because its answer reached the greatest length that it may have.',
  max_turn_requests:
    'The agent stopped because it has asked the model as often as it may in one turn. Tell it to continue.',
};

/** Only the first is in the protocol. */
const FAILED: Readonly<Record<string, string>> = {
  refusal: 'refused to continue. Ask in other words, or start a new session.',
  error: 'ended its turn with an error.',
};

function saidFailure({ status, isRateLimit }: SaidError, agentName: string): AcpFailure {
  const code = status === undefined ? '' : ` (${status})`;
  if (isRateLimit)
    return new AcpFailure('rateLimited', `${agentName}'s model provider limits its requests${code}. Try again later.`);
  return new AcpFailure('modelFailed', `${agentName}'s model provider answered with an error${code}, shown above.`);
}

function checklist(entries: Extract<SessionUpdate, { sessionUpdate: 'plan' }>['entries']): string {
  const lines = entries.map(({ content, status }) => {
    const text = content.replace(/\s*\n\s*/g, ' ');
    return `- [${status === 'completed' ? 'x' : ' '}] ${text}${status === 'in_progress' ? ' (in progress)' : ''}`;
  });
  return `${lines.join('\n')}\n`;
}

function severityOf(severity: string | undefined): 'info' | 'warning' | 'error' {
  return severity === 'warning' || severity === 'error' ? severity : 'info';
}
