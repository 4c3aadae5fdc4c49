/** The suites that your own backend must pass; see the README. */
export {
  type AgentContractCase,
  type AgentContractOptions,
  type AgentContractPrompts,
  agentContract,
} from './agentContract.js';
export type { ContractSessionFs, CreateContractSessionFs } from './contractCheck.js';
export { type ContractCase, type SessionFsContractOptions, sessionFsContract } from './sessionFsContract.js';
