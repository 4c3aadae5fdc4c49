import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Migration } from '../../../src/storage/stateRoot/migrations.js';

/** Makes every note upper case and gives it an end that must not be there twice. */
export function shoutingStep(before: (name: string) => Promise<void> = async () => {}): Migration {
  return {
    what: 'notes shout',
    entries: ['notes', 'shouted'],
    async run(stateRoot) {
      const folder = join(stateRoot, 'notes');
      for (const name of (await readdir(folder)).filter((name) => name.endsWith('.txt')).sort()) {
        await before(name);
        const text = await readFile(join(folder, name), 'utf8');
        if (text.endsWith('!')) continue;
        await writeFile(join(folder, 'draft'), `${text.toUpperCase()}!`);
        await rename(join(folder, 'draft'), join(folder, name));
      }
      await before('shouted');
      await writeFile(join(stateRoot, 'shouted'), 'yes');
    },
  };
}
