// The entry `@agenthost/protocol/internal`, for the scripts of this repository: what `npm run schemas` writes.
export { actionDocs } from './generate/actionDocs.js';
export { jsonSchemaFiles } from './generate/jsonSchemas.js';
export { typeFiles } from './generate/typeFiles.js';
