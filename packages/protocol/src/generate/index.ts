// The entry `@agenthost/protocol/generate`: what `npm run schemas` writes.
export { jsonSchemaFiles } from './jsonSchemas.js';
export { typeFiles } from './typeFiles.js';
