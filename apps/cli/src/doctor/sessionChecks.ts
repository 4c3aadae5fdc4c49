import { examineIndex, examineLog, listSessionIds, removeIndex, repairLog } from '@agenthost/host/maintenance';
import { Progress } from '../output/progress.js';
import { type Finding, ok } from './finding.js';

const MAX_SHOWN = 20;
const STOP_FIRST = 'Stop the host, then run agenthost doctor --fix.';

/** A running host has both open: then they are checked, but not changed. */
export async function checkIndex(stateDir: string, isHostRunning: boolean): Promise<Finding> {
  const damage = await examineIndex(stateDir);
  if (damage === undefined) return ok('index', 'The session index is sound.');
  return {
    check: 'index',
    level: 'problem',
    what: `The session index is damaged: ${damage}.`,
    fix: isHostRunning ? STOP_FIRST : 'agenthost doctor --fix removes it; the next host rebuilds it from the sessions.',
    ...(!isHostRunning && { mend: () => removeIndex(stateDir) }),
  };
}

export async function checkLogs(stateDir: string, isHostRunning: boolean): Promise<Finding[]> {
  const ids = await listSessionIds(stateDir);
  const progress = new Progress('Reading the log of session');
  const findings: Finding[] = [];
  for (const [at, id] of ids.entries()) {
    progress.update(at, ids.length);
    const finding = await checkLog(stateDir, id, isHostRunning);
    if (finding) findings.push(finding);
  }
  progress.end();
  if (findings.length === 0) return [ok('logs', `The logs of ${ids.length} sessions are sound.`)];
  const more = findings.length - MAX_SHOWN;
  const rest: Finding[] =
    more > 0 ? [{ check: 'logs', level: 'warning', what: `${more} more sessions have damaged logs.` }] : [];
  return [...findings.slice(0, MAX_SHOWN), ...rest];
}

async function checkLog(stateDir: string, id: string, isHostRunning: boolean): Promise<Finding | undefined> {
  const condition = await examineLog(stateDir, id).catch((error: unknown) => error as Error);
  if (condition === undefined) return undefined;
  const check = 'logs';
  if (condition instanceof Error) {
    const what = `The log of session ${id} can't be read: ${condition.message}.`;
    return { check, level: 'problem', what, fix: 'See who owns it, and whether the disk is in order.' };
  }
  const { broken, isTorn, isKept } = condition;
  // The host may be writing that line now.
  if (isHostRunning && isTorn && broken.length <= 1) return undefined;
  const lines = broken.map(({ line, reason }) => `line ${line} (${reason})`).slice(0, 3);
  const isSeen = isKept && !isTorn;
  return {
    check,
    level: isSeen ? 'warning' : 'problem',
    what: `The log of session ${id} is damaged: ${isTorn ? 'its end is torn' : lines.join(', ')}.`,
    fix: isSeen
      ? 'Nothing needs to be done: the rest of it is used, and events.jsonl.corrupt has a copy of what is broken.'
      : isHostRunning
        ? STOP_FIRST
        : 'agenthost doctor --fix keeps a copy of what is broken, and cuts off a torn end.',
    ...(!isSeen && !isHostRunning && { mend: () => repairLog(stateDir, id) }),
  };
}
