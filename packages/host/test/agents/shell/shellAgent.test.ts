import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findShell } from '../../../src/agents/shell/findShell.js';
import { ShellAgent } from '../../../src/agents/shell/shellAgent.js';
import { openOptions, temporaryFolder } from '../support/sessions.js';

describe('ShellAgent', () => {
  it('is available where there is a shell, without models', async () => {
    const agent = new ShellAgent();
    expect([await agent.availability(), await agent.listModels()]).toEqual([{ state: 'available' }, []]);
  });

  it('says what to do on Windows', async () => {
    const agent = new ShellAgent({ platform: 'win32' });
    expect(await agent.availability()).toMatchObject({ state: 'unavailable', howToFix: /WSL/ });
    await expect(agent.openSession(await openOptions())).rejects.toThrow('WSL');
  });
});

describe('findShell', () => {
  it.each([
    ['/bin/sh', '/bin/sh'],
    ['/usr/bin/fish', '/bin/bash'],
    ['bash', '/bin/bash'],
    ['/nowhere/zsh', '/bin/bash'],
    ['/bin/constructor', '/bin/bash'],
    ['', '/bin/bash'],
    [undefined, '/bin/bash'],
  ])('of %j is %s', async (preferred, found) => {
    expect((await findShell(preferred))?.path).toBe(found);
  });

  it('ignores files that cannot be executed', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'zsh'), '');
    expect((await findShell(join(folder, 'zsh')))?.path).toBe('/bin/bash');
    await chmod(join(folder, 'zsh'), 0o755);
    expect(await findShell(join(folder, 'zsh'))).toMatchObject({ path: join(folder, 'zsh'), args: ['-f'] });
  });
});
