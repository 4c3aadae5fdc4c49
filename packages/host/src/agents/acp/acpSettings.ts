import type { SessionSetting } from '@agenthost/protocol';
import { errorMessage } from '@agenthost/protocol/internal';
import type { AcpConnection } from './acpConnection.js';

export interface AcpSettingsOptions {
  /** The first mode of the session. */
  readonly mode: string | undefined;
  /** The mode of the resumed session. If the agent no longer has it, the agent chooses. */
  readonly lastMode: string | undefined;
  /** The values that users chose, by the setting's id. */
  readonly settings: Readonly<Record<string, string>>;
}

/** What was chosen for a session of an agent, whose process may be started several times. */
export class AcpSettings {
  readonly #options: AcpSettingsOptions;
  readonly #chosen: Map<string, string>;

  constructor(options: AcpSettingsOptions) {
    this.#options = options;
    this.#chosen = new Map(Object.entries(options.settings));
  }

  /**
   * Sets the mode that the session was in, else the requested first mode. Rejects when the agent refuses it: in another mode it may act
   * without asking.
   */
  async restoreMode({ choices, choose }: Connection, current: string | undefined): Promise<void> {
    const { mode, lastMode } = this.#options;
    const last = current ?? lastMode;
    const wanted = last === undefined ? mode : choices.offersMode(last) ? last : undefined;
    if (wanted === undefined || wanted === choices.currentMode?.id) return;
    const request = choices.setMode(wanted);
    // Holds until the agent reports another one, which it may do before it answers.
    choices.modeChanged(wanted);
    await choose(request);
  }

  /**
   * Sets what users chose, or what the agent changed it to before it was started again. Returns what the agent refused, as sentences;
   * rejects only for a refused mode.
   */
  async restore(connection: Connection, last: readonly SessionSetting[]): Promise<string[]> {
    const refused: string[] = [];
    for (const [id, chosen] of this.#chosen) {
      const value = last.find((one) => one.id === id)?.value ?? chosen;
      const setting = connection.choices.settings.find((one) => one.id === id);
      if (!setting || !connection.choices.canSet(id, value)) continue;
      try {
        await request(connection, id, value);
      } catch (error) {
        if (setting.kind === 'mode') throw error;
        this.#chosen.delete(id);
        refused.push(`${setting.name} could not be set again: ${errorMessage(error)}`);
      }
    }
    return refused;
  }

  /** For an agent that has ended it is set when that is started again. */
  async set(connection: AcpConnection | undefined, id: string, value: string): Promise<void> {
    if (connection && !connection.hasFailed) await request(connection, id, value);
    else connection?.choices.assume(id, value);
    this.#chosen.set(id, value);
  }
}

type Connection = Pick<AcpConnection, 'choices' | 'choose'>;

async function request({ choices, choose }: Connection, id: string, value: string): Promise<void> {
  const asked = choices.set(id, value);
  const before = choices.assume(id, value);
  try {
    await choose(asked);
  } catch (error) {
    // Unless the agent has reported another value meanwhile.
    const current = choices.settings.find((one) => one.id === id)?.value;
    if (before !== undefined && current === value) choices.assume(id, before);
    throw error;
  }
}
