import { join } from 'node:path';
import { aboutPlan, MARK, type ServiceManager, type ServiceState } from './serviceManager.js';
import { type ServicePlan, wordsOf } from './servicePlan.js';

const UNIT = 'agenthost.service';

export function systemd(env: Readonly<Record<string, string | undefined>>, home: string): ServiceManager {
  const systemctl = (...args: string[]) => ({ command: ['systemctl', '--user', ...args] as [string, ...string[]] });
  return {
    file: join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'systemd/user', UNIT),
    render: systemdUnit,
    start: [systemctl('daemon-reload'), systemctl('enable', UNIT), systemctl('restart', UNIT)],
    stop: [systemctl('disable', '--now', UNIT)],
    forget: [systemctl('daemon-reload')],
    look: systemctl('show', UNIT, '--property=ActiveState,SubState,MainPID'),
    stateOf,
    logCommand: () => `journalctl --user --unit ${UNIT} --follow`,
    hint: 'It stops when you log out; loginctl enable-linger keeps it running.',
  };
}

/** Needs systemd 244 or newer, for the colon. */
export function systemdUnit(plan: ServicePlan): string {
  const [node = '', ...words] = wordsOf(plan);
  // The colon: no variables in the command line, so a dollar is a dollar. Standard output has the link with the token, which must not
  // get into the journal. Exit code 2 is a wrong flag: trying again is no use.
  return `# ${MARK} agenthost service uninstall removes it.
# ${aboutPlan(plan)}
[Unit]
Description=agenthost

[Service]
ExecStart=:${[...programOf(node), ...words].map(quoted).join(' ')}
Environment=${quoted(`PATH=${plan.searchPath}`)}
WorkingDirectory=~
StandardOutput=null
StandardError=journal
Restart=on-failure
RestartSec=5
RestartPreventExitStatus=2
KillMode=mixed
TimeoutStopSec=${plan.stopSeconds}

[Install]
WantedBy=default.target
`;
}

/** systemd accepts no quotes and no backslash in the path of a program, but in every other word: then a shell starts it. */
function programOf(node: string): string[] {
  return /["'\\]/.test(node) ? ['/bin/sh', '-c', 'exec "$@"', 'sh', node] : [node];
}

/** As a word of systemd: in quotes, with its own escapes, and without specifiers. */
function quoted(word: string): string {
  return `"${word.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%')}"`;
}

function stateOf(output: string): ServiceState {
  const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(output)?.[1] ?? '';
  const pid = Number(value('MainPID'));
  const word = [value('ActiveState'), value('SubState')].filter((part) => part !== '').join(', ');
  return { isRunning: value('ActiveState') === 'active', word: word || 'unknown', ...(pid > 0 && { pid }) };
}
