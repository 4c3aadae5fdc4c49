// Writes the JSON Schema files of the protocol; a test fails when they are not what the code says.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonSchemaFiles } from '@agenthost/protocol';

const folder = join(import.meta.dirname, '../packages/protocol/schema');
mkdirSync(folder, { recursive: true });
for (const [name, content] of Object.entries(jsonSchemaFiles())) {
  writeFileSync(join(folder, name), `${JSON.stringify(content, null, 2)}\n`);
  console.log(`wrote packages/protocol/schema/${name}`);
}
