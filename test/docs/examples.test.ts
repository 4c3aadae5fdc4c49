import { expect, it } from 'vitest';
import { type ApiEntry, type ApiName, apiOf, apiPackages } from '../../scripts/apiReport.js';
import { compile } from './compile.js';

/** What examples use without saying where it comes from. */
const GIVEN: Readonly<Record<string, string>> = {
  url: 'string',
  token: 'string',
  host: "import('@agenthost/client').HostClient",
  session: "import('@agenthost/client').SessionHandle",
  peer: "import('@agenthost/rpc').RpcPeer",
  chat: "import('@agenthost/sessions').Chat",
  providers: "import('@agenthost/sessions').SessionsProvidersService",
  sessions: "import('@agenthost/sessions').SessionsManagementService",
  it: '(name: string, run: () => Promise<void>) => void',
};

it('the examples of doc comments compile', { timeout: 120_000 }, async () => {
  const programs = new Map<string, string>();
  for (const workspace of apiPackages()) {
    const entries = apiOf(workspace);
    for (const entry of entries) {
      for (const one of entry.names) {
        for (const [n, code] of examplesOf(one).entries()) {
          const name = `${entry.specifier.replace(/\W+/g, '_')}_${one.kind}_${one.name}${n + 1}`;
          programs.set(name, program(code, entry, entries));
        }
      }
    }
  }
  expect(programs.size).toBeGreaterThanOrEqual(50);
  expect(await compile('doc-examples', programs)).toBe('');
});

function examplesOf({ doc }: ApiName): string[] {
  return [...doc.matchAll(/^@example\n```ts\n([\s\S]*?)^```/gm)].map(([, code = '']) => code);
}

/** With imports of the names that it uses: those of its own entry point, then those of the others of its package. */
function program(code: string, own: ApiEntry, entries: readonly ApiEntry[]): string {
  const taken = new Set<string>();
  const isFree = (name: string) =>
    !taken.has(name) &&
    new RegExp(`\\b${name}\\b`).test(code) &&
    !new RegExp(`(?:const|let|class|function) (?:\\{[^}]*|\\[[^\\]]*)?\\b${name}\\b|import [^;]*\\b${name}\\b`).test(
      code,
    );
  const imports = [own, ...entries].map(({ specifier, names }) => {
    const used = names.filter(({ name }) => isFree(name)).map(({ name }) => name);
    for (const name of used) taken.add(name);
    return used.length > 0 ? `import { ${used.join(', ')} } from '${specifier}';\n` : '';
  });
  const given = Object.entries(GIVEN).filter(([name]) => isFree(name));
  const declared = given.map(([name, type]) => `declare const ${name}: ${type};\n`);
  return `${imports.join('')}${declared.join('')}${code}`;
}
