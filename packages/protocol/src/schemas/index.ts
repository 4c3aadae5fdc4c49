// The entry `@agenthost/protocol/schemas`. Types and reducers are in the main entry, which does not load zod.
export {
  CLIENT_NOTIFICATION_SCHEMAS,
  COMMAND_SCHEMAS,
  HOST_NOTIFICATION_SCHEMAS,
  SCHEMAS,
  SESSION_FS_SCHEMAS,
  uncheckedDispatchActionParams,
} from './schemas.js';
