import { basename } from 'node:path';
import type { PermissionRequest } from '@agenthost/protocol';
import { TRUST_OPTION } from '@agenthost/protocol/internal';
import { inlineCode } from '../agents/events/markdownCode.js';

const MAX_NAMED = 20;
const MAX_PATH = 400;

export interface TrustQuestion {
  readonly requestId: string;
  readonly folder: string;
  /** What would run, each in Markdown. */
  readonly runs: readonly string[];
  readonly agentName: string;
  /** Whether the agent can continue without it. */
  readonly isNeeded: boolean;
}

export function trustQuestion({ requestId, folder, runs, agentName, isNeeded }: TrustQuestion): PermissionRequest {
  const named = runs.slice(0, MAX_NAMED).map((line) => `- ${line}`);
  if (runs.length > MAX_NAMED) named.push(`- and ${runs.length - MAX_NAMED} more`);
  const message = [
    `Files in ${inlineCode(folder, MAX_PATH)} would have something run on this machine, or allowed, without asking:`,
    named.join('\n'),
    'Trust the folder only if you know who wrote them. It stays trusted, also for other sessions and when they change.',
    ...(isNeeded ? [`${agentName} obeys them by itself, so it is not started otherwise.`] : []),
  ].join('\n\n');
  const without = isNeeded ? "Don't start the agent" : 'Go on without them';
  return {
    requestId,
    kind: 'permission',
    title: `Trust the folder ${basename(folder) || folder}?`,
    message,
    options: [
      { id: TRUST_OPTION, label: 'Trust this folder', kind: 'approve' },
      { id: 'without', label: without, kind: 'deny' },
    ],
  };
}
