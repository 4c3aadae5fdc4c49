import { join } from 'node:path';
import { aboutPlan, MARK, type ServiceManager, type ServiceState } from './serviceManager.js';
import { type ServicePlan, wordsOf } from './servicePlan.js';

const LABEL = 'agenthost';

export function launchd(home: string, uid: number): ServiceManager {
  const file = join(home, 'Library/LaunchAgents', `${LABEL}.plist`);
  const [domain, service] = [`gui/${uid}`, `gui/${uid}/${LABEL}`];
  // It fails when the service is not loaded.
  const unload = { command: ['launchctl', 'bootout', service], mayFail: true } as const;
  return {
    file,
    render: launchdPlist,
    start: [unload, { command: ['launchctl', 'bootstrap', domain, file] }],
    stop: [unload],
    forget: [],
    look: { command: ['launchctl', 'print', service], mayFail: true },
    stateOf,
    logCommand: (stateDir) => `tail -f ${shellWord(logFile(stateDir))}`,
  };
}

export function launchdPlist(plan: ServicePlan): string {
  const strings = (words: readonly string[]) => words.map((word) => `    <string>${escaped(word)}</string>`).join('\n');
  // Standard output has the link with the token, which must not get into a log.
  return `<?xml version="1.0" encoding="UTF-8"?>
<!-- ${MARK} agenthost service uninstall removes it. -->
<!-- ${aboutPlan(plan)} -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${strings(wordsOf(plan))}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>PATH</key>
    <string>${escaped(plan.searchPath)}</string>
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ExitTimeOut</key>
  <integer>${plan.stopSeconds}</integer>
  <key>StandardOutPath</key>
  <string>/dev/null</string>
  <key>StandardErrorPath</key>
  <string>${escaped(logFile(plan.stateDir))}</string>
</dict>
</plist>
`;
}

function logFile(stateDir: string): string {
  return join(stateDir, 'service.log');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function shellWord(text: string): string {
  return /^[\w/.@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function stateOf(output: string): ServiceState {
  const word = /^\s*state = (.+)$/m.exec(output)?.[1] ?? 'not loaded';
  const pid = Number(/^\s*pid = (\d+)$/m.exec(output)?.[1]);
  return { isRunning: word === 'running', word, ...(pid > 0 && { pid }) };
}
