// Writes the JSON Schema files of the protocol and of agents.json, and the table of actions in docs/protocol.md; tests fail when
// they are not what the code says.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { agentsJsonSchema } from '@agenthost/host/internal';
import { actionDocs } from '../packages/protocol/dist/generate/actionDocs.js';
import { jsonSchemaFiles } from '../packages/protocol/dist/generate/jsonSchemas.js';

const write = (path: string, content: unknown) => {
  const file = join(import.meta.dirname, '../packages', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
  console.log(`wrote packages/${path}`);
};
for (const [name, content] of Object.entries(jsonSchemaFiles())) write(`protocol/schema/${name}`, content);
write('host/schema/agents.schema.json', agentsJsonSchema());

const docs = join(import.meta.dirname, '../docs/protocol.md');
writeFileSync(
  docs,
  readFileSync(docs, 'utf8').replace(/^\| action \|[\s\S]*?(?=\n\n)/m, () => actionDocs()),
);
console.log('wrote the actions in docs/protocol.md');
