import { defineCommand, JSON_OPTION } from '../command.js';
import { EXIT } from '../commandError.js';
import { DATABASE_OPTION, databaseAddress } from '../database/databaseAddress.js';
import { checkDatabase } from '../doctor/databaseChecks.js';
import type { Finding } from '../doctor/finding.js';
import { checkHost, findRunning } from '../doctor/hostChecks.js';
import { checkNode, checkPort } from '../doctor/machineChecks.js';
import { checkIndex, checkLogs } from '../doctor/sessionChecks.js';
import { checkDeviceTokens, checkStateFolder, checkTokenFile } from '../doctor/stateChecks.js';
import { checkWorktrees } from '../doctor/worktreeChecks.js';
import { styleFor } from '../text/style.js';

export const command = defineCommand({
  name: 'doctor',
  summary: 'find problems here, and how to fix them',
  usage: '[flags]',
  options: {
    'state-dir': { type: 'string', value: 'FOLDER', help: 'the state folder to check' },
    ...DATABASE_OPTION,
    fix: { type: 'boolean', help: 'fix what can be fixed without losing anything' },
    ...JSON_OPTION,
  },
  notes: `Checks Node, the port, the state folder with its rights and free space, the token, the host with its agents, the session
index, the logs of all sessions, and worktrees that no session works in: --fix removes those with which
nothing is lost. With a database also its schema and settings, and the hosts that share it. Exits with 1 if there is a problem.`,
  examples: [
    'agenthost doctor',
    'agenthost doctor --fix',
    'agenthost doctor --database postgres://agenthost@db.example.org/agenthost',
    'agenthost doctor --json | jq ".findings[] | select(.level != \\"ok\\")"',
  ],
  run: async (values) => {
    const host = await findRunning(values['state-dir']);
    const database = databaseAddress(values.database);
    const found = [...(await examine(host)), ...(database === undefined ? [] : await checkDatabase(database))];
    const findings = values.fix ? await mendAll(found) : found;
    if (values.json) {
      const told = findings.map(({ mend, ...finding }) => ({ ...finding, fixable: mend !== undefined }));
      process.stdout.write(`${JSON.stringify({ stateDir: host.stateDir, findings: told })}\n`);
    } else print(findings);
    return findings.some(({ level, mended }) => level === 'problem' && !mended) ? EXIT.failed : EXIT.ok;
  },
});

async function examine(host: Awaited<ReturnType<typeof findRunning>>): Promise<Finding[]> {
  const { stateDir, isRunning } = host;
  const { findings, usable } = await checkStateFolder(stateDir);
  return [
    checkNode(),
    await checkPort(isRunning),
    ...findings,
    ...(usable ? [await checkTokenFile(stateDir), ...(await checkDeviceTokens(stateDir))] : []),
    ...(await checkHost(host)),
    ...(usable ? [await checkIndex(stateDir, isRunning), ...(await checkLogs(stateDir, isRunning))] : []),
    ...(usable ? await checkWorktrees(stateDir, isRunning) : []),
  ];
}

async function mendAll(findings: readonly Finding[]): Promise<Finding[]> {
  const after: Finding[] = [];
  for (const finding of findings) {
    if (!finding.mend) after.push(finding);
    else {
      try {
        await finding.mend();
        after.push({ ...finding, mended: true });
      } catch (error) {
        after.push({
          ...finding,
          fix: `That could not be fixed: ${(error as Error).message}. ${finding.fix ?? ''}`.trim(),
        });
      }
    }
  }
  return after;
}

function print(findings: readonly Finding[]): void {
  const style = styleFor(process.stdout);
  const glyphs = { ok: style.done('✓'), warning: style.needs('!'), problem: style.error('×') };
  for (const { level, check, what, fix, mended } of findings) {
    process.stdout.write(`${mended ? style.done('✓') : glyphs[level]} ${check}: ${what}${mended ? ' Fixed.' : ''}\n`);
    if (fix !== undefined && !mended) process.stdout.write(`    ${style.dim(fix)}\n`);
  }
}
