// Writes etc/<package>.api.md for each package: `npm run api`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { apiOf, apiPackages, apiReport } from './apiReport.ts';

const folder = join(import.meta.dirname, '../etc');
mkdirSync(folder, { recursive: true });
for (const workspace of apiPackages()) {
  writeFileSync(join(folder, `${basename(workspace)}.api.md`), apiReport(workspace));
  const counts = apiOf(workspace).map(({ specifier, names }) => `${specifier} ${names.length}`);
  console.log(`wrote etc/${basename(workspace)}.api.md: ${counts.join(', ')}`);
}
