// Writes the JSON Schema files of the protocol and of agents.json; tests fail when they are out of date.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { agentsJsonSchema } from '@agenthost/host/internal';
import { jsonSchemaFiles } from '../packages/protocol/dist/schemas/jsonSchemas.js';

const write = (path: string, content: unknown) => {
  const file = join(import.meta.dirname, '../packages', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
  console.log(`wrote packages/${path}`);
};
for (const [name, content] of Object.entries(jsonSchemaFiles())) write(`protocol/schema/${name}`, content);
write('host/schema/agents.schema.json', agentsJsonSchema());
