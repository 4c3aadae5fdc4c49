/** `@agenthost/client/internal`: for the other packages of this repository, which are pinned to one version. It may change in any version. */
export { Emitter, type Event } from '@agenthost/rpc';
export { reportFailure } from '@agenthost/rpc/internal';
export { backoffDelay } from './connection/backoff.js';
export { contentLine, resultContents } from './export/contentLine.js';
export { allTurns, exportSession } from './export/exportSession.js';
export { EXPORT_VERSION, type ExportedTurn, type ExportHeader, type ReadContent } from './export/jsonExport.js';
export { SafeTextStream, safeCommand, safeLine, safeText } from './export/safeText.js';
export { by, OWN_TURN, titleOf } from './export/sessionTexts.js';
export { listInStep } from './listInStep.js';
