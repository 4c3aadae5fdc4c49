// Writes the output of each command's --help into docs/cli.md, below its last heading.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const file = join(root, 'docs/cli.md');
const END = '`npm run docs` writes it.\n';

const cli = (...args: readonly string[]) =>
  spawnSync(process.execPath, [join(root, 'apps/cli/dist/main.js'), ...args], { encoding: 'utf8' }).stdout;

const names = [...cli('--help').matchAll(/^ {2}(\w+) {2}/gm)].map(([, name = '']) => name);
const text = readFileSync(file, 'utf8');
const intro = text.slice(0, text.indexOf(END) + END.length);
const sections = names.map((name) => `### ${name}\n\n\`\`\`\n${cli(name, '--help')}\`\`\`\n`);
writeFileSync(file, `${intro}\n${sections.join('\n')}`);
console.log(`wrote docs/cli.md: ${names.length} commands`);
