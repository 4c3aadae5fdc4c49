import { type CreateSessionParams, ERROR_CODE, MAX_CONFIG_LENGTH, MAX_METADATA_LENGTH } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';

/** Refuses what would make a session's summary, or the first record of its log, too large for every list and every write of it. */
export function checkBeginning({ metadata, config }: Pick<CreateSessionParams, 'metadata' | 'config'>): void {
  checkLength('metadata', metadata, MAX_METADATA_LENGTH);
  checkLength('config', config, MAX_CONFIG_LENGTH);
}

function checkLength(name: string, value: object | undefined, most: number): void {
  const length = value ? JSON.stringify(value).length : 0;
  if (length <= most) return;
  throw new RpcError(ERROR_CODE.invalidParams, `params.${name}: ${length} characters as JSON, more than ${most}`);
}
