// Loaded when a client keeps the files of sessions, and then only: it brings zod with it.
export { SESSION_FS_SCHEMAS } from '@agenthost/protocol';
