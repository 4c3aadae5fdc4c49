import type { SessionCommand, SessionMode } from '@agenthost/protocol';
import { sameValue } from '@agenthost/protocol/internal';
import type { AgentEvent } from '../../agent.js';
import type { SessionChoices } from '../sessionChoices.js';
import type { AvailableCommand, SessionUpdate } from '../updateSchemas.js';
import { Compactions } from './compactions.js';

/** What an agent says that belongs to no turn, and may come at any time: commands, title, mode, summaries. */
export class SessionUpdates {
  /** Of the connection, as soon as there is one. */
  choices: SessionChoices | undefined;
  readonly #displayName: string;
  #compactions: Compactions;
  #commands: readonly SessionCommand[] | undefined;
  #mode: SessionMode | undefined;

  constructor(displayName: string) {
    this.#displayName = displayName;
    this.#compactions = new Compactions(displayName);
  }

  /** The agent is started anew, and may count from the beginning. */
  restart(): void {
    this.choices = undefined;
    this.#compactions = new Compactions(this.#displayName);
  }

  get commands(): readonly SessionCommand[] | undefined {
    return this.#commands;
  }

  get mode(): SessionMode | undefined {
    return this.#mode;
  }

  /** `isOpen`: what came before is an earlier conversation told again. Events of a turn are for one that runs. */
  take(update: SessionUpdate, { isOpen, isInTurn }: { isOpen: boolean; isInTurn: boolean }): readonly AgentEvent[] {
    switch (update.sessionUpdate) {
      case 'available_commands_update':
        // Mostly it comes while the session is being opened, before anybody can listen.
        this.#commands = update.availableCommands.map(commandOf);
        return [{ type: 'commands', commands: this.#commands }];
      case 'session_info_update':
        return update.title === undefined ? [] : [{ type: 'title', title: update.title }];
      case 'current_mode_update':
        if (update.currentModeId !== '') this.choices?.modeChanged(update.currentModeId);
        return this.modeChange();
      case 'config_option_update':
        this.choices?.update(update.configOptions);
        return this.modeChange();
      case 'compaction_update':
      case 'compaction_summary_chunk': {
        // Also of a replay, so that the same summary is not taken for a new one.
        const events = this.#compactions.take(update);
        return isOpen ? events.filter(({ type }) => isInTurn || type === 'checkpoint') : [];
      }
      default:
        return [];
    }
  }

  /** What is to be told where the mode is another one than was told last. */
  modeChange(): readonly AgentEvent[] {
    const mode = this.choices?.currentMode;
    if (!this.choices || sameValue(mode, this.#mode)) return [];
    this.#mode = mode;
    return [{ type: 'mode', ...(mode && { mode }) }];
  }
}

function commandOf({ name, description, input }: AvailableCommand): SessionCommand {
  return { name, ...(description && { description }), ...(input && { inputHint: input.hint ?? '' }) };
}
