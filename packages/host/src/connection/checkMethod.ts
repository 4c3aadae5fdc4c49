import { ERROR_CODE, type Role, type RoleRefusedData, roleForMethod, roleRefusal } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';

export function checkMethod(role: Role, method: string): void {
  const needs = roleForMethod(method);
  const message = roleRefusal(role, needs);
  const data: RoleRefusedData = { role, needs };
  if (message !== undefined) throw new RpcError(ERROR_CODE.permissionDenied, message, { data });
}
