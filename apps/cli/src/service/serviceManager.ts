import type { ServicePlan } from './servicePlan.js';

/** What starts services for a user: systemd on Linux, launchd on macOS. */
export interface ServiceManager {
  /** Where it looks for the file of the service. */
  readonly file: string;
  render(plan: ServicePlan): string;
  /** Makes it read the file, start the service, and start it at each login. Also for one that runs already. */
  readonly start: readonly Step[];
  /** Stops the service and forgets it, before its file is removed. */
  readonly stop: readonly Step[];
  /** After its file was removed. */
  readonly forget: readonly Step[];
  readonly look: Step;
  /** What `look` has printed. */
  stateOf(output: string): ServiceState;
  logCommand(stateDir: string): string;
  /** For the user who has installed it. */
  readonly hint?: string;
}

/** A command; the service manager's own programs, found on `PATH`. */
export interface Step {
  readonly command: readonly [string, ...string[]];
  /** Whether it fails when there was nothing to do. */
  readonly mayFail?: true;
}

export interface ServiceState {
  readonly isRunning: boolean;
  readonly pid?: number;
  /** The manager's own word for it. */
  readonly word: string;
  /** Why the manager could not be asked; then it is not known whether the service runs. */
  readonly problem?: string;
}

/** The first line of a file that is ours begins like this; what has another one is left alone. */
export const MARK = 'Written by agenthost service install.';

/** On a line of its own, as JSON: `status` and `uninstall` have to know it. */
export function aboutPlan({ stateDir }: ServicePlan): string {
  // A comment of XML must not contain two hyphens.
  return JSON.stringify({ stateDir }).replaceAll('-', '\\u002d');
}

/** The state folder of a file that is ours; `undefined` for every other file. */
export function stateDirOf(text: string): string | undefined {
  const lines = text.split('\n', 6);
  const at = lines.findIndex((line) => line.includes(MARK));
  const about = /\{.*\}/.exec(lines[at + 1] ?? '')?.[0];
  if (at < 0 || about === undefined) return undefined;
  try {
    const { stateDir } = JSON.parse(about) as { stateDir?: unknown };
    return typeof stateDir === 'string' ? stateDir : undefined;
  } catch {
    return undefined;
  }
}
