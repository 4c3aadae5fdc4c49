import type { AgentInfo } from '../state/rootState.js';

export interface AgentsChangedAction {
  readonly type: 'root/agentsChanged';
  readonly agents: readonly AgentInfo[];
}

export type RootAction = AgentsChangedAction;
