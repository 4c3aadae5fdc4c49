import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { newTerminal, terminalHost } from '../../../test/support/sharedTerminal.js';
import { Terminal } from '../../../test/support/terminal.js';
import { runCli } from '../../../test/support/testHost.js';

describe('agenthost term', () => {
  let host: Awaited<ReturnType<typeof terminalHost>>;
  let session: string;
  beforeEach(async () => {
    host = await terminalHost();
    const owner = await host.connect({ clientInfo: { name: 'Mira' } });
    session = (await owner.createSession({ provider: 'mock' })).uri;
  });
  afterEach(() => host.remove());

  const env = () => ({ AGENTHOST_HOME: host.stateDir });
  function open(...args: string[]): Terminal {
    const opened = Terminal.inShell(['term', session, ...args], { env: env() });
    onTestFinished(() => opened.dispose());
    return opened;
  }

  it('shows a shell in the folder of the session, is left with Ctrl+], and comes back to it', async () => {
    const first = open();
    await first.until('ready>');
    first.type('pwd; echo one-$((1+1))\r');
    await first.until(host.folder, 'one-2');
    first.resize(90, 20);
    await expect
      .poll(() => first.type('stty size\r') ?? first.until(/\n20 90/).then(() => true), { timeout: 10_000 })
      .toBe(true);
    first.type('\u001d');
    await first.until('You have left the terminal. It goes on.', 'ended with 0', /(^| )icanon/m);

    const again = open();
    await again.until('one-2', 'ready>');
    again.type('exit 3\r');
    await again.until('The shell has ended with exit code 3.', 'ended with 0');
  });

  it('says who types, and takes the keyboard', async () => {
    const mira = await host.connect({ clientInfo: { name: 'Mira' } });
    await mira.openSession(session);
    const { terminal, screen } = await newTerminal(mira, session);
    const shown = open();
    await shown.until('ready>');
    await terminal.type('echo mi');
    await shown.until('echo mi');
    shown.type('x');
    await shown.until('Mira is typing. Ctrl+T takes the keyboard');
    shown.type('\u0014');
    await expect.poll(() => terminal.info.value?.keyboard.by.name, { timeout: 10_000 }).toBe('tester');
    shown.type('xed\r');
    await screen.shows('\nmixed');
    expect(await terminal.type('never')).toBe(false);
  });

  it('lists them, and starts another one with --new', async () => {
    const list = async () => {
      const { code, stdout } = await runCli(['term', session, '--list', '--json'], env());
      expect(code).toBe(0);
      return (JSON.parse(stdout) as { terminals: { title: string }[] }).terminals.map(({ title }) => title);
    };
    expect(await list()).toEqual([]);
    await open().until('ready>');
    await open('--new').until('ready>');
    expect(await list()).toEqual(['bash', 'bash 2']);
    const { stdout } = await runCli(['term', session, '--list'], env());
    expect(stdout).toMatch(/^bash\trunning\t100 × 30\nbash 2\trunning\t100 × 30\n$/);
    expect(await runCli(['term', session], env())).toMatchObject({ code: 2 });
  });

  it('lets a viewer watch', async () => {
    const mira = await host.connect({ clientInfo: { name: 'Mira' } });
    const { terminal } = await newTerminal(mira, session);
    const token = await host.host.deviceTokens.add('viewer', 'viewer');
    await expect.poll(() => host.connect({ token }).then(({ role }) => role, String)).toBe('viewer');
    const shown = open('--token', token);
    await shown.until('ready>');
    await terminal.type('echo for-viewers\r');
    await shown.until('\nfor-viewers');
    shown.type('x');
    await shown.until('role driver');
    shown.type('\u001d');
    await shown.until('ended with 0');
  });
});
