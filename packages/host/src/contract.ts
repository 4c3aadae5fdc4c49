/** The suites that a backend of one's own must pass; see the README. */
export {
  type AgentContractCase,
  type AgentContractOptions,
  type AgentContractPrompts,
  agentContract,
} from './agents/agentContract.js';
export type { ContractSessionFs, CreateContractSessionFs } from './sessionFs/contractCheck.js';
export { type ContractCase, type SessionFsContractOptions, sessionFsContract } from './sessionFs/sessionFsContract.js';
