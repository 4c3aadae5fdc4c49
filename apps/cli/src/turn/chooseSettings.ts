import type { SessionHandle } from '@agenthost/client';
import type { SessionSetting } from '@agenthost/protocol';
import type { OptionSpec, Values } from '../command.js';
import { CommandError, EXIT, usageError } from '../commandError.js';
import { safeLine } from '../text/safeText.js';

export const SETTING_OPTIONS = {
  mode: { type: 'string', value: 'MODE', help: "the agent's mode from now on, e.g. plan" },
  set: {
    type: 'string',
    value: 'SETTING=VALUE',
    multiple: true,
    help: "another setting of the agent's from now on, e.g. effort=high; may be repeated",
  },
} as const satisfies Record<string, OptionSpec>;

/** Longer than the host waits for an agent. */
const ANSWER_MS = 15_000;

/** Chooses the settings and waits for the agent's answer. Throws when it has no such setting or value, and when it refuses. */
export async function chooseSettings(session: SessionHandle, values: Values<typeof SETTING_OPTIONS>): Promise<void> {
  const wanted = (values.set ?? []).map(parse);
  if (values.mode !== undefined) wanted.unshift(['mode', values.mode]);
  for (const [name, value] of wanted) {
    const setting = find(session, name);
    const chosen =
      setting.values.find((one) => one.id === value) ?? setting.values.find((one) => same(one.name, value));
    if (!chosen) throw unknown(`${setting.name} can't be ${value}`, setting.values);
    await session.chooseSetting(setting.id, chosen.id);
    await answered(session, setting.id);
    const after = find(session, setting.id);
    if (after.value === chosen.id) continue;
    const why = after.problem === undefined ? '' : `: ${safeLine(after.problem)}`;
    throw new CommandError(
      EXIT.failed,
      `The agent did not change ${safeLine(setting.name)}${why}`,
      'Nothing was sent.',
    );
  }
}

function parse(given: string): [name: string, value: string] {
  const at = given.indexOf('=');
  if (at < 1) throw usageError(`--set takes SETTING=VALUE, not ${given}.`, 'For example: --set effort=high');
  return [given.slice(0, at), given.slice(at + 1)];
}

/** By its kind, its id or its name. */
function find(session: SessionHandle, name: string): SessionSetting {
  const { settings = [] } = session.confirmed.value;
  const found =
    settings.find(({ id }) => id === name) ??
    settings.find(({ kind }) => kind === name) ??
    settings.find((setting) => same(setting.name, name));
  if (!found) throw unknown(`The agent has no setting ${name}`, settings);
  return found;
}

function unknown(what: string, offered: readonly { readonly id: string }[]): CommandError {
  const ids = offered.map(({ id }) => safeLine(id)).join(', ');
  return usageError(`${safeLine(what)}.`, ids === '' ? 'It offers none.' : `There are: ${ids}.`);
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function answered({ confirmed }: SessionHandle, id: string): Promise<void> {
  const isPending = () => confirmed.value.settings?.some((one) => one.id === id && one.pending) === true;
  if (!isPending()) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      watching.dispose();
      resolve();
    };
    const timer = setTimeout(done, ANSWER_MS);
    const watching = confirmed.subscribe(() => {
      if (!isPending()) done();
    });
  });
}
