import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../apps/cli/src/commandTable.js';
import { ROOT } from '../architecture/workspace.js';
import { blocks, type Page, pages } from './pages.js';

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
/** Of npm itself. */
const NPM_COMMANDS = ['install', 'link', 'config', 'ping', 'ci', 'pack', 'i'];
/** History speaks of what was. */
const PAGES = pages().filter(({ path }) => path !== 'CHANGELOG.md' && !path.startsWith('docs/adr/'));

/** What is shown as code: spans, and lines of blocks for a shell. */
function shown(page: Page): string[] {
  const spans = [...page.prose.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  return [...spans, ...blocks(page, 'sh', 'ini').flatMap((block) => block.split('\n'))];
}

/** What the page of the command shows is what the command prints: apps/cli/test/docs.test.ts. */
const CLI_PAGE = readFileSync(join(ROOT, 'docs/cli.md'), 'utf8');
function helpOf(command: string): string {
  const help = new RegExp(`^### ${command}\\n\\n\`\`\`\\n([\\s\\S]*?)^\`\`\``, 'm').exec(CLI_PAGE)?.[1];
  if (help === undefined) throw new Error(`docs/cli.md has no help of ${command}`);
  return help;
}

function faultsOf(code: string): string[] {
  const faults: string[] = [];
  for (const [, command = '', rest = ''] of code.matchAll(/(?:^|[\s;&|(])agenthost ([a-z]+)([^|;&)]*)/g)) {
    if (!Object.hasOwn(COMMANDS, command)) {
      if (command !== 'help') faults.push(`there is no agenthost ${command}: ${code}`);
    } else faults.push(...unknownFlags(helpOf(command), rest, code));
  }
  for (const [, run, name = '', rest = ''] of code.matchAll(
    /(?:^|[\s;&|(])npm (run )?([a-z:]+(?:-[a-z]+)*)([^|;&)]*)/g,
  )) {
    if (run === undefined && NPM_COMMANDS.includes(name)) continue;
    if (run === undefined && !['start', 'test'].includes(name)) faults.push(`npm has no ${name}: ${code}`);
    else if (!Object.hasOwn(scripts, name)) faults.push(`there is no script ${name}: ${code}`);
    const flags = rest.split(' -- ')[1];
    if (flags !== undefined && ['start', 'dev'].includes(name)) {
      faults.push(...unknownFlags(helpOf('serve'), flags, code));
    }
  }
  return faults;
}

function unknownFlags(help: string, rest: string, code: string): string[] {
  const flags = [...rest.replace(/"[^"]*"|'[^']*'/g, '').matchAll(/(?:^|\s)(--?[a-z][a-z-]*)/g)].map(
    ([, flag = '']) => flag,
  );
  const known = (flag: string) =>
    ['--help', '--debug'].includes(flag) || new RegExp(`(^|[\\s,])${flag}\\b`, 'm').test(help);
  return flags.filter((flag) => !known(flag)).map((flag) => `${flag} is not in the help: ${code}`);
}

describe('commands that pages name exist, with their flags', () => {
  it.each(PAGES.map((page) => [page.path, page] as const))('%s', (_, page) => {
    expect(shown(page).flatMap(faultsOf)).toEqual([]);
  });

  it('finds those that do not exist', () => {
    const wrong = ['agenthost fly', 'npx agenthost send --fast last', 'npm run nothing', 'npm start -- --warp 9'];
    for (const code of wrong) expect(faultsOf(code)).toHaveLength(1);
  });
});
