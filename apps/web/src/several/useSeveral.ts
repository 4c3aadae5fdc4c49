import type { AgentInfo } from '@agenthost/protocol';
import type { NewWorktree } from '@agenthost/sessions';
import { useState } from 'react';
import type { Draft } from '../app/messageDrafts.js';
import type { PageHost } from '../app/pagePlace.js';
import type { ChosenAgents } from './SeveralCards.js';
import { followStart } from './severalStarts.js';

/** Whether the message goes to several agents, and to which. */
export interface SeveralChoice {
  readonly isOffered: boolean;
  readonly isOn: boolean;
  readonly chosen: ChosenAgents;
  readonly agents: readonly { readonly provider: string; readonly model?: string }[];
  readonly onSwitch: (isOn: boolean) => void;
  readonly onChosen: (chosen: ChosenAgents) => void;
}

/** The values of the form when its message is sent. */
export interface SeveralStart {
  readonly agents: SeveralChoice['agents'];
  readonly folder: string;
  readonly worktree: NewWorktree;
  readonly text: string;
  readonly attachments: Draft['attachments'];
}

export function useSeveral(
  usable: readonly AgentInfo[],
  agent: AgentInfo | undefined,
  model: string | undefined,
): SeveralChoice {
  const [isOn, setOn] = useState(false);
  const [chosen, setChosen] = useState<ChosenAgents>(new Map());
  const there = [...chosen].filter(([provider]) => usable.some((one) => one.provider === provider));
  return {
    isOffered: usable.length > 1,
    isOn,
    chosen: new Map(there),
    agents: there.map(([provider, wanted]) => ({ provider, ...(wanted !== undefined && { model: wanted }) })),
    // With the agent that was chosen before.
    onSwitch: (on) => {
      setOn(on);
      if (on && chosen.size === 0 && agent) setChosen(new Map([[agent.provider, model]]));
    },
    onChosen: setChosen,
  };
}

/** Resolves with the id of the first session that is there; the others go on, and say in the comparison when they fail. */
export async function beginSeveral(host: PageHost, choice: SeveralStart): Promise<string> {
  const { agents, folder, worktree, text, attachments } = choice;
  if (agents.length < 2) throw new Error('Choose two agents at least.');
  const { members } = host.provider.status.several.start(agents, {
    message: { text, ...(attachments.length > 0 && { attachments }) },
    workingDirectory: folder,
    worktree,
  });
  for (const member of members) followStart(member);
  const first = await Promise.any(members.map(({ session, started }) => started.then(() => session))).catch(
    (error: unknown) => Promise.reject((error as AggregateError).errors[0]),
  );
  return `${host.id}:${first}`;
}
