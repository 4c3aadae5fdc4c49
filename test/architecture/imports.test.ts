import { readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AGENT_ROOMS, HOST_LAYERS, HOST_SHARED, IMPORT_TABLE, type ImportRule } from './importTable.js';
import { importsOf, ROOT, readJson, sourceFiles, workspaces } from './workspace.js';

describe('imports', () => {
  it('has a row for every workspace, and no other', () => {
    expect(Object.keys(IMPORT_TABLE).sort()).toEqual(workspaces());
  });

  it.each(Object.entries(IMPORT_TABLE))('%s imports only what the table allows', (workspace, rule) => {
    const files = sourceFiles(workspace);
    expect(files.length).toBeGreaterThan(0);
    const wrong = files.flatMap((file) => violations(workspace, rule, file, readFileSync(join(ROOT, file), 'utf8')));
    expect(wrong).toEqual([]);
  });

  it.each(Object.entries(IMPORT_TABLE))('%s declares exactly the packages that the table allows', (workspace, rule) => {
    const { dependencies = {} } = readJson(`${workspace}/package.json`) as { dependencies?: Record<string, string> };
    expect(Object.keys(dependencies).sort()).toEqual([...rule.may].sort());
  });

  it('finds violations', () => {
    const rule: ImportRule = { may: ['zod'] };
    const source = [
      `import * as z from 'zod';`,
      `import type { A } from "@agenthost/host";`,
      `import {\n  B,\n} from '@agenthost/client';`,
      `export { c } from 'node:fs';`,
      `import 'ws';`,
      `const d = await import('yaml');`,
      `import { e } from '../../rpc/src/peer.js';`,
      `import { f } from './beside.js';`,
      `export * from './everything.js';`,
    ].join('\n');
    expect(violations('packages/protocol', rule, 'packages/protocol/src/x.ts', source)).toEqual([
      'packages/protocol/src/x.ts imports @agenthost/host',
      'packages/protocol/src/x.ts imports @agenthost/client',
      'packages/protocol/src/x.ts imports node:fs',
      'packages/protocol/src/x.ts imports ws',
      'packages/protocol/src/x.ts imports ../../rpc/src/peer.js',
      'packages/protocol/src/x.ts imports yaml',
      'packages/protocol/src/x.ts re-exports everything',
    ]);
  });
});

describe('layers of the host', () => {
  const root = 'packages/host/src';

  it('go one way', () => {
    const wrong = sourceFiles('packages/host').flatMap((file) =>
      layerViolations(file, readFileSync(join(ROOT, file), 'utf8')),
    );
    expect(wrong).toEqual([]);
  });

  it('include every folder', () => {
    const folders = sourceFiles('packages/host').map((file) => dirname(file.slice(root.length + 1)));
    expect([...new Set(folders)].filter((folder) => folder !== '.').sort()).toEqual(Object.keys(HOST_LAYERS).sort());
  });

  it('have no row that nothing uses', () => {
    const used = new Set(
      sourceFiles('packages/host').flatMap((file) =>
        localImports(file, readFileSync(join(ROOT, file), 'utf8')).map(({ to }) => `${folderOf(file)} ${to}`),
      ),
    );
    const rows = Object.entries(HOST_LAYERS).flatMap(([folder, may]) => may.map((to) => `${folder} ${to}`));
    expect(rows.filter((row) => !used.has(row))).toEqual([]);
  });

  it('find violations', () => {
    const source = [
      `import { a } from '../sessions/session.js';`,
      `import { b } from '../hostLog.js';`,
      `import { c } from '../host.js';`,
      `import { d } from './delivery.js';`,
      `import { e } from '../agents/shell/shellAgent.js';`,
    ].join('\n');
    expect(layerViolations(`${root}/state/x.ts`, source)).toEqual([
      `${root}/state/x.ts imports ../sessions/session.js`,
      `${root}/state/x.ts imports ../host.js`,
      `${root}/state/x.ts imports ../agents/shell/shellAgent.js`,
    ]);
    expect(layerViolations(`${root}/sessions/x.ts`, source)).toEqual([
      `${root}/sessions/x.ts imports ../host.js`,
      `${root}/sessions/x.ts imports ../agents/shell/shellAgent.js`,
    ]);
    expect(layerViolations(`${root}/agents/mock/x.ts`, `import { f } from '../shell/shellAgent.js';`)).toHaveLength(1);
    expect(layerViolations(`${root}/agents/x.ts`, `import { g } from './shell/shellAgent.js';`)).toHaveLength(1);
    expect(layerViolations(`${root}/storage/fs/x.ts`, `import { h } from '../log/eventLog.js';`)).toHaveLength(1);
    expect(layerViolations(`${root}/storage/fs/x.ts`, `import { i } from '../sessionStorage.js';`)).toEqual([]);
  });

  function layerViolations(file: string, source: string): string[] {
    const folder = folderOf(file);
    if (folder === '.') return [];
    return localImports(file, source)
      .filter(({ to, name }) => {
        if (to === '.') return !HOST_SHARED.includes(name);
        if (to === folder || folder.startsWith(`${to}/`)) return false;
        const room = AGENT_ROOMS.find((agent) => to === agent || to.startsWith(`${agent}/`));
        if (room !== undefined) return folder !== room && !folder.startsWith(`${room}/`);
        return !to.startsWith(`${folder}/`) && !HOST_LAYERS[folder]?.includes(to);
      })
      .map(({ specifier }) => `${file} imports ${specifier}`);
  }

  function folderOf(file: string): string {
    return dirname(file.slice(root.length + 1));
  }

  function localImports(file: string, source: string) {
    return importsOf(source)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => {
        const path = normalize(join(dirname(file), specifier)).slice(root.length + 1);
        return { specifier, to: dirname(path), name: basename(path, '.js') };
      });
  }
});

describe('ARCHITECTURE.md', () => {
  const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');

  it('shows every workspace on its map', () => {
    const map = text.match(/```\n([\s\S]*?)```/)?.[1] ?? '';
    const shown = [...map.matchAll(/^( *)([\w.-]+)\/(?: |$)/gm)];
    const paths: string[] = [];
    let top = '';
    for (const [, indent = '', name = ''] of shown) {
      if (indent === '') top = name;
      else if (indent.length === 2) paths.push(`${top}/${name}`);
    }
    expect(paths.filter((path) => /^(packages|apps)\//.test(path)).sort()).toEqual(workspaces());
  });

  it('shows the layers of the host', () => {
    const rows = [...text.matchAll(/^\| `([\w/]+)\/` \| (.*?) \|$/gm)].map(([, folder, may = '']) => [
      folder,
      [...may.matchAll(/`([\w/]+)\/`/g)].map(([, name]) => name),
    ]);
    expect(Object.fromEntries(rows)).toEqual(HOST_LAYERS);
  });

  it('shows the table of allowed imports', () => {
    const rows = [...text.matchAll(/^\| `((?:packages|apps)\/[\w-]+)` \| (.*?) \| (yes|no) \|$/gm)].map(
      ([, workspace = '', may = '', node]) =>
        [workspace, { may: [...may.matchAll(/`([^`]+)`/g)].map(([, name]) => name), node: node === 'yes' }] as const,
    );
    const table = Object.entries(IMPORT_TABLE).map(([workspace, { may, node = false }]) => [workspace, { may, node }]);
    expect(rows).toEqual(table);
  });
});

function violations(workspace: string, rule: ImportRule, file: string, source: string): string[] {
  const wrong = importsOf(source)
    .filter((specifier) => !isAllowed(workspace, rule, file, specifier))
    .map((specifier) => `${file} imports ${specifier}`);
  if (/^export \*(?! as )/m.test(source)) wrong.push(`${file} re-exports everything`);
  return wrong;
}

function isAllowed(workspace: string, rule: ImportRule, file: string, specifier: string): boolean {
  if (specifier.startsWith('.')) return normalize(join(dirname(file), specifier)).startsWith(`${workspace}/src/`);
  if (specifier.startsWith('node:')) return rule.node === true;
  return rule.may.some((name) => specifier === name || specifier.startsWith(`${name}/`));
}
