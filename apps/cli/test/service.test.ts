import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli, startTestHost, temporaryFolder } from '../../../test/support/testHost.js';
import { launchd, launchdPlist } from '../src/service/launchd.js';
import { installService, serviceStatus, uninstallService } from '../src/service/serviceActions.js';
import { stateDirOf } from '../src/service/serviceManager.js';
import { planService, type ServicePlan, wordsOf } from '../src/service/servicePlan.js';
import { systemdUnit } from '../src/service/systemd.js';

const run = promisify(execFile);
const PLACE = {
  node: '/usr/bin/node',
  script: '/opt/agenthost/bin/agenthost.cjs',
  stateDir: '/home/ann/.agenthost',
  searchPath: '/usr/bin:/bin',
};
/** All that means something to systemd, to a shell or to XML. */
const HOSTILE = `a b%h%%"q'\\n\\$HOME\${X}&<x>]]>;#:-- ü`;

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const plan = (serveFlags: readonly string[] = [], place = {}) => planService({ ...PLACE, ...place, serveFlags });

describe('what a service runs', () => {
  it('is this command with its state folder, and the flags of serve with absolute paths', () => {
    const flags = [
      '--port',
      '5000',
      '--ahp',
      '--allow-origin',
      'https://a.example.org',
      '--allow-origin=https://b.example.org',
    ];
    expect(wordsOf(plan(flags)).slice(1)).toEqual([
      PLACE.script,
      'serve',
      `--state-dir=${PLACE.stateDir}`,
      '--port=5000',
      '--ahp',
      '--allow-origin=https://a.example.org',
      '--allow-origin=https://b.example.org',
    ]);
    expect(wordsOf(plan(['--state-dir', 'other']))).toContain(`--state-dir=${join(process.cwd(), 'other')}`);
  });

  it.each([
    [['--fly'], "Unknown option '--fly'"],
    [['--port', 'x'], '--port x is not a port'],
    [['stray'], "Unexpected argument 'stray'"],
    [['--open'], "can't have --open"],
    [['--json'], "can't have --json"],
    [['--host', '0.0.0.0'], 'without TLS'],
    [['--agents', 'a\nb'], 'control character'],
  ])('is refused with %j', (flags, why) => {
    expect(() => plan(flags)).toThrow(why);
  });

  it('point 3: holds no token and no password', () => {
    for (const flags of [
      ['--public-url', `https://agents.example.org/#token=${'x'.repeat(43)}`],
      ['--public-url', 'https://ann:secret@agents.example.org'],
      ['--database', 'postgres://ann:secret@db.example.org/agenthost'],
      ['--database', 'postgres://db.example.org/agenthost?password=secret'],
    ])
      expect(() => plan(flags)).toThrow('holds a password or a token');
    expect(wordsOf(plan(['--database', 'postgres://ann@db.example.org/agenthost']))).toContain(
      '--database=postgres://ann@db.example.org/agenthost',
    );
  });

  it('is refused from the cache of npx', () => {
    expect(() => plan([], { script: '/home/ann/.npm/_npx/1/node_modules/agenthost/bin/agenthost.cjs' })).toThrow('npx');
  });
});

const hasAnalyze = await run('systemd-analyze', ['--version']).then(
  () => true,
  () => false,
);
const hasPython = await run('python3', ['-c', 'import plistlib']).then(
  () => true,
  () => false,
);

describe('the unit of systemd', () => {
  it('says where its sessions are, and has no link with a token in the journal', () => {
    const unit = systemdUnit(plan(['--port', '5000']));
    expect(stateDirOf(unit)).toBe(PLACE.stateDir);
    expect(unit).toMatch(/^StandardOutput=null$/m);
    expect(unit).toContain(
      'ExecStart=:"/usr/bin/node" "/opt/agenthost/bin/agenthost.cjs" "serve" "--state-dir=/home/ann/.agenthost" "--port=5000"',
    );
  });

  it('has one line for each setting, whatever the paths are', () => {
    const unit = systemdUnit({ ...plan(), stateDir: `/x/${HOSTILE}`, searchPath: HOSTILE });
    const lines = unit.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    for (const line of lines) expect(line).toMatch(/^(\[\w+\]|[A-Z]\w+=.*[^\\])$/);
    expect(stateDirOf(unit)).toBe(`/x/${HOSTILE}`);
  });

  // 2026-11-18: systemd-analyze comes with systemd; where there is none, nothing else reads units.
  it.skipIf(!hasAnalyze)('is accepted by systemd-analyze, which finds the program at a hostile path', async () => {
    const bin = join(folder, HOSTILE);
    // Of the program's own path systemd refuses quotes and backslashes, whatever the escapes.
    const node = join(folder, `a b%h%%$HOME\${X}&;#:-- ü`, 'node');
    const quoted = join(folder, HOSTILE, 'node');
    await mkdir(dirname(node));
    await writeFile(node, '#!/bin/sh\n', { mode: 0o755 });
    const file = join(folder, 'agenthost.service');
    const verify = async (unit: string) => {
      await writeFile(file, unit);
      const { stderr } = await run('systemd-analyze', ['verify', '--user', '--man=no', file], {
        env: { ...process.env, XDG_RUNTIME_DIR: folder, HOME: folder },
      }).catch((error: { stderr: string }) => error);
      return stderr.split('\n').filter((line) => line.includes('agenthost.service'));
    };
    const hostile: ServicePlan = { ...plan(), node, script: join(bin, 'x'), stateDir: bin, searchPath: bin };
    expect(await verify(systemdUnit(hostile))).toEqual([]);
    expect(await verify(systemdUnit({ ...hostile, node: quoted }))).toEqual([]);
    expect(systemdUnit({ ...hostile, node: quoted })).toContain('ExecStart=:"/bin/sh" "-c" "exec \\"$@\\"" "sh" "');
    // It does look: a program that is not there, and a path without escapes.
    await rm(node);
    expect((await verify(systemdUnit(hostile))).join()).toMatch(/not executable|No such file/);
    expect((await verify(systemdUnit(hostile).replaceAll('%%', '%'))).join()).not.toBe('');
  });
});

describe('the property list of launchd', () => {
  // 2026-11-18: parsed back by Python's plistlib, because plutil is on macOS only. It was not run by a launchd.
  it.skipIf(!hasPython)('holds the command line as it is, whatever the paths are', async () => {
    const hostile: ServicePlan = {
      ...plan(),
      node: `/${HOSTILE}/node`,
      stateDir: `/x/${HOSTILE}`,
      searchPath: HOSTILE,
    };
    const file = join(folder, 'agenthost.plist');
    await writeFile(file, launchdPlist(hostile));
    const script = 'import json,plistlib,sys; print(json.dumps(plistlib.load(open(sys.argv[1],"rb"))))';
    const { stdout } = await run('python3', ['-c', script, file]);
    expect(JSON.parse(stdout)).toMatchObject({
      Label: 'agenthost',
      ProgramArguments: wordsOf(hostile),
      EnvironmentVariables: { PATH: HOSTILE },
      StandardOutPath: '/dev/null',
      StandardErrorPath: `/x/${HOSTILE}/service.log`,
      RunAtLoad: true,
    });
    expect(stateDirOf(launchdPlist(hostile))).toBe(`/x/${HOSTILE}`);
  });
});

/** Not a systemd: it notes what it is called with, and answers what the test says. */
async function fakeProgram(name: string, answer = '', exitCode = 0): Promise<void> {
  await mkdir(join(folder, 'bin'), { recursive: true });
  const script = `#!/bin/sh\necho "\${0##*/} $*" >> '${folder}/calls'\ncase "$*" in *show*|*print*) cat '${folder}/answer' ;; *) ${exitCode === 0 ? ':' : `echo "${answer}" >&2; exit ${exitCode}`} ;; esac\n`;
  await writeFile(join(folder, 'bin', name), script);
  await chmod(join(folder, 'bin', name), 0o755);
  await writeFile(join(folder, 'answer'), exitCode === 0 ? answer : '');
}
const calls = async () => (await readFile(join(folder, 'calls'), 'utf8').catch(() => '')).trim().split('\n');
const env = () => ({ HOME: folder, PATH: `${folder}/bin:/usr/bin:/bin`, AGENTHOST_HOME: join(folder, 'state') });
const service = (...args: string[]) => runCli(['service', ...args], env());
const unitFile = () => join(folder, '.config/systemd/user/agenthost.service');

describe.runIf(process.platform === 'linux')('agenthost service, with a fake systemctl', () => {
  it('installs, tells the address and the log, and removes only its own', async () => {
    const host = await startTestHost({ stateDir: join(folder, 'state') });
    try {
      await fakeProgram('systemctl', `ActiveState=active\nSubState=running\nMainPID=${process.pid}\n`);
      const done = await service('install', '--', '--port', '0');
      expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining('enable-linger') });
      expect(done.stdout).toContain(`The service runs: ${host.url.origin}`);
      expect((await calls()).filter((call) => !call.includes('show'))).toEqual([
        'systemctl --user daemon-reload',
        'systemctl --user enable agenthost.service',
        'systemctl --user restart agenthost.service',
      ]);
      expect((await stat(unitFile())).mode & 0o777).toBe(0o600);
      const unit = await readFile(unitFile(), 'utf8');
      expect(unit).not.toContain(host.token);
      expect(unit).toContain(`"--state-dir=${join(folder, 'state')}" "--port=0"`);
      const told = await service('status');
      expect(told).toMatchObject({ code: 0 });
      for (const part of [
        'The service runs (active, running',
        host.url.origin,
        'journalctl --user --unit agenthost.service',
        unitFile(),
      ])
        expect(told.stdout).toContain(part);
      expect(JSON.parse((await service('status', '--json')).stdout)).toMatchObject({
        isInstalled: true,
        isRunning: true,
        url: host.url.href,
      });
      await writeFile(join(folder, 'answer'), 'ActiveState=failed\nSubState=failed\nMainPID=0\n');
      expect(await service('status')).toMatchObject({
        code: 1,
        stdout: expect.stringContaining('does not run (failed, failed)'),
      });
      await rm(join(folder, 'calls'));
      const before = await readdir(join(folder, 'state'));
      expect(await service('uninstall')).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('Its sessions stay in'),
      });
      expect(await calls()).toEqual([
        'systemctl --user disable --now agenthost.service',
        'systemctl --user daemon-reload',
      ]);
      expect(existsSync(unitFile())).toBe(false);
      expect(await readdir(join(folder, 'state'))).toEqual(before);
    } finally {
      await host.dispose();
    }
    expect(await service('status')).toMatchObject({ code: 6 });
    expect(await service('uninstall')).toMatchObject({ code: 0, stdout: 'No service is installed.\n' });
  });

  it('changes nothing with --dry-run, and prints the file and the commands', async () => {
    await fakeProgram('systemctl');
    const shown = await service('install', '--dry-run', '--', '--port', '5000');
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('"--port=5000"') });
    expect(shown.stderr).toContain('systemctl --user enable agenthost.service');
    expect(await service('uninstall', '--dry-run')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('disable --now'),
    });
    expect(await calls()).toEqual(['']);
    expect(existsSync(unitFile())).toBe(false);
  });

  it('leaves a unit of somebody else alone', async () => {
    await fakeProgram('systemctl');
    await mkdir(join(folder, '.config/systemd/user'), { recursive: true });
    const theirs = '[Service]\nExecStart=/usr/bin/npm start\n';
    await writeFile(unitFile(), theirs);
    for (const action of ['install', 'status', 'uninstall'])
      expect(await service(action)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('was not written by agenthost service'),
      });
    expect(await readFile(unitFile(), 'utf8')).toBe(theirs);
    expect(await calls()).toEqual(['']);
  });

  it('refuses beside a host that runs already, before it writes anything', async () => {
    const host = await startTestHost({ stateDir: join(folder, 'state') });
    try {
      await fakeProgram('systemctl', 'ActiveState=inactive\nMainPID=0\n');
      expect(await service('install')).toMatchObject({
        code: 3,
        stderr: expect.stringContaining(`process ${process.pid}`),
      });
      expect(existsSync(unitFile())).toBe(false);
    } finally {
      await host.dispose();
    }
  });

  it('says exactly what to run where systemctl fails or is missing', async () => {
    await fakeProgram('systemctl', 'Failed to connect to bus: No medium found', 1);
    const failed = await service('install');
    expect(failed).toMatchObject({ code: 1 });
    expect(failed.stderr).toContain('Failed to connect to bus: No medium found.');
    expect(failed.stderr).toContain('  systemctl --user daemon-reload\n  systemctl --user enable agenthost.service\n');
    const kept = await service('uninstall');
    expect(kept).toMatchObject({ code: 1, stderr: expect.stringContaining('disable --now agenthost.service') });
    expect(existsSync(unitFile())).toBe(true);
    await rm(join(folder, 'bin/systemctl'));
    await copyFile('/bin/sh', join(folder, 'bin/sh'));
    const without = { ...env(), PATH: join(folder, 'bin') };
    expect(await runCli(['service', 'install'], without)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no systemctl on this machine'),
    });
    expect(await runCli(['service', 'uninstall'], without)).toMatchObject({ code: 0 });
    expect(existsSync(unitFile())).toBe(false);
  });

  it('says when the host did not come up, and where to look', async () => {
    await fakeProgram('systemctl', 'ActiveState=activating\nSubState=auto-restart\nMainPID=0\n');
    const late = await service('install');
    expect(late).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('journalctl --user --unit agenthost.service'),
    });
  });
});

describe('launchd, with a fake launchctl', () => {
  it('loads, looks and unloads', async () => {
    const host = await startTestHost({ stateDir: join(folder, 'state') });
    const path = process.env['PATH'];
    process.env['PATH'] = `${folder}/bin:${path}`;
    try {
      await fakeProgram('launchctl', `gui/501/agenthost = {\n\tstate = running\n\tpid = ${process.pid}\n}\n`);
      const manager = launchd(folder, 501);
      const url = await installService(manager, plan([], { stateDir: host.stateDir }));
      expect(url).toBe(host.url.href);
      expect(await serviceStatus(manager)).toMatchObject({
        isRunning: true,
        url: host.url.href,
        stateDir: host.stateDir,
      });
      expect(manager.logCommand('/x y')).toBe("tail -f '/x y/service.log'");
      expect(await uninstallService(manager)).toBe(host.stateDir);
      expect((await calls()).filter((call) => !call.includes('print'))).toEqual([
        'launchctl bootout gui/501/agenthost',
        `launchctl bootstrap gui/501 ${join(folder, 'Library/LaunchAgents/agenthost.plist')}`,
        'launchctl bootout gui/501/agenthost',
      ]);
      expect(existsSync(manager.file)).toBe(false);
      // One that is not loaded: launchctl fails to print it.
      await installService(manager, plan([], { stateDir: host.stateDir }));
      await writeFile(join(folder, 'bin/launchctl'), '#!/bin/sh\nexit 113\n');
      expect(await serviceStatus(manager)).toMatchObject({ isRunning: false, word: 'not loaded' });
    } finally {
      process.env['PATH'] = path;
      await host.dispose();
    }
  });
});
