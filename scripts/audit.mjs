// Known vulnerabilities in what users get, and install scripts. Exit codes: 0 none, 1 some, 75 unknown.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { judgeAudit, unlistedInstallScripts } from './auditReport.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (name) => JSON.parse(readFileSync(join(root, name), 'utf8'));
const unlisted = unlistedInstallScripts(read('package-lock.json'), read('package.json').allowScripts ?? {});
if (unlisted.length > 0) {
  console.error(`These packages run scripts when they are installed: ${unlisted.join(', ')}.`);
  console.error('Look at what they do; then list them in allowScripts of package.json, or do without them.');
  process.exit(1);
}
console.log('Install scripts: none but those of allowScripts.');
const flags = ['audit', '--omit=dev', '--audit-level=high', '--json', '--audit=true'];
const { stdout, stderr } = spawnSync('npm', flags, {
  cwd: root,
  encoding: 'utf8',
  shell: process.platform === 'win32',
});
const { outcome, detail } = judgeAudit(stdout || stderr || '');
if (outcome === 'vulnerable')
  console.error(`npm audit: ${detail}. Update them, or say in docs/adr why that does no harm.`);
else if (outcome === 'sound') console.log(`npm audit: nothing of high severity (${detail}).`);
else
  console.error(`WARNING: npm audit reached no registry that answers it, so dependencies were NOT checked: ${detail}`);
process.exit({ sound: 0, vulnerable: 1, notChecked: 75 }[outcome]);
