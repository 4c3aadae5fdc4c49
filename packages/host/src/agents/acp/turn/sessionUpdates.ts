import type { SessionCommand, SessionMode, SessionSetting } from '@agenthost/protocol';
import { sameValue } from '@agenthost/protocol/internal';
import type { AgentEvent } from '../../agent.js';
import type { SessionChoices } from '../sessionChoices.js';
import type { AvailableCommand, SessionUpdate } from '../updateSchemas.js';
import { Compactions } from './compactions.js';

/** Handles updates that belong to no turn and may come at any time: commands, title, mode, settings, summaries. */
export class SessionUpdates {
  /** The choices of the connection, once there is one. */
  choices: SessionChoices | undefined;
  readonly #displayName: string;
  #compactions: Compactions;
  #commands: readonly SessionCommand[] | undefined;
  #mode: SessionMode | undefined;
  #settings: readonly SessionSetting[] = [];

  constructor(displayName: string) {
    this.#displayName = displayName;
    this.#compactions = new Compactions(displayName);
  }

  /** Resets when the agent is restarted, because it may count from the beginning. */
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

  get settings(): readonly SessionSetting[] {
    return this.#settings;
  }

  /** Without `isOpen`, updates are an earlier conversation sent again. Events of a turn need a running turn. */
  take(update: SessionUpdate, { isOpen, isInTurn }: { isOpen: boolean; isInTurn: boolean }): readonly AgentEvent[] {
    switch (update.sessionUpdate) {
      case 'available_commands_update':
        // This update mostly comes while the session is being opened, before a listener exists.
        this.#commands = update.availableCommands.map(commandOf);
        return [{ type: 'commands', commands: this.#commands }];
      case 'session_info_update':
        return update.title === undefined ? [] : [{ type: 'title', title: update.title }];
      case 'current_mode_update':
        if (update.currentModeId !== '') this.choices?.modeChanged(update.currentModeId);
        return this.choiceChanges();
      case 'config_option_update':
        this.choices?.update(update.configOptions);
        return this.choiceChanges();
      case 'compaction_update':
      case 'compaction_summary_chunk': {
        // Also for a replay, so that the same summary does not count as a new one.
        const events = this.#compactions.take(update);
        return isOpen ? events.filter(({ type }) => isInTurn || type === 'checkpoint') : [];
      }
      default:
        return [];
    }
  }

  /** The events for a changed mode and for changed settings. */
  choiceChanges(): readonly AgentEvent[] {
    if (!this.choices) return [];
    const { currentMode: mode, settings } = this.choices;
    const events: AgentEvent[] = [];
    if (!sameValue(mode, this.#mode)) events.push({ type: 'mode', ...(mode && { mode }) });
    if (!sameValue(settings, this.#settings)) events.push({ type: 'settings', settings });
    this.#mode = mode;
    this.#settings = settings;
    return events;
  }
}

function commandOf({ name, description, input }: AvailableCommand): SessionCommand {
  return { name, ...(description && { description }), ...(input && { inputHint: input.hint ?? '' }) };
}

/** Whether an update is of this session, or names none. */
export function isOfSession(params: unknown, ownId: string | undefined): boolean {
  const { sessionId } = (params ?? {}) as { sessionId?: unknown };
  return typeof sessionId !== 'string' || sessionId === ownId;
}
