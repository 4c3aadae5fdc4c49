// Writes the types of the protocol from its schemas; a test fails when they are not what the schemas say.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { typeFiles } from '../packages/protocol/dist/generate/typeFiles.js';

for (const [name, content] of Object.entries(typeFiles())) {
  writeFileSync(join(import.meta.dirname, '../packages/protocol/src/types', name), content);
  console.log(`wrote packages/protocol/src/types/${name}`);
}
