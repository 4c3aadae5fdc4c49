// Keeps the compiled packages of this commit as the build that test/upgrade/rollingUpgrade.test.ts mixes with later ones.
// To be run at each release, right after it was made.
import { ok } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writePreviousBuild } from '../test/upgrade/previousBuild.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const MAX_BYTES = 1_000_000;

/** Of what the command loads; the page is left out. */
const PACKAGES = {
  ...Object.fromEntries(
    ['protocol', 'rpc', 'client', 'ahp', 'sessions', 'host'].map((name) => [`@agenthost/${name}`, `packages/${name}`]),
  ),
  agenthost: 'apps/cli',
};

const files: Record<string, string> = {};
for (const [name, folder] of Object.entries(PACKAGES)) {
  files[`${name}/package.json`] = readFileSync(join(root, folder, 'package.json'), 'latin1');
  const dist = join(root, folder, 'dist');
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !/\.(js|json)$/.test(entry.name) || relative(dist, path).startsWith('contract')) continue;
    files[`${name}/dist/${relative(dist, path)}`] = readFileSync(path, 'latin1').replace(
      /^\/\/# sourceMapping.*$/m,
      '',
    );
  }
}
for (const [path, content] of Object.entries(files)) {
  for (const secret of [root, hostname(), userInfo().homedir]) {
    ok(secret.length < 6 || !content.includes(secret), `${path} holds ${secret}, which is of this machine`);
  }
}
const commit =
  process.argv[2] ?? execFileSync('git', ['rev-parse', '--short=7', 'HEAD'], { cwd: root }).toString().trim();
const bytes = await writePreviousBuild({ commit, files });
ok(bytes < MAX_BYTES, `${bytes} bytes are more than the repository may keep`);
console.log(`${commit}: ${Object.keys(files).length} files, ${bytes} bytes`);
