import type { SessionCustomization, URI } from '@agenthost/protocol';
import { MAX_TITLE_LENGTH } from '@agenthost/protocol/internal';
import type { CustomizationSupport } from '../../agents/agentCustomization.js';
import { oneLine } from '../../agents/events/boundedText.js';
import { inlineCode } from '../../agents/events/markdownCode.js';
import type { Discovery, FoundCustomization } from '../../customizations/foundCustomization.js';

export interface JudgeContext {
  readonly support: CustomizationSupport;
  readonly agentName: string;
  readonly isTrusted: boolean;
  /** The user was asked and chose to continue without the customizations that need trust. */
  readonly wasDeclined: boolean;
  readonly isEnabled: (uri: URI) => boolean;
}

/** The decision about one found customization. */
export interface JudgedCustomization {
  readonly found: FoundCustomization;
  readonly listed: SessionCustomization;
  readonly isHandedOver: boolean;
  /** It is on, and the agent would get it if the folder were trusted. */
  readonly waitsForTrust: boolean;
}

type Fault = Required<Pick<SessionCustomization, 'status' | 'statusMessage'>>;

/** In the order in which they were found. The first one of a kind and name is used. */
export function judgeCustomizations(
  customizations: readonly FoundCustomization[],
  context: JudgeContext,
): JudgedCustomization[] {
  const { support, isTrusted, isEnabled } = context;
  const named = new Map<string, FoundCustomization>();
  return customizations.map((found) => {
    const { uri, kind, displayName, description, origin, runs } = found;
    const enabled = isEnabled(uri);
    const isRead = origin === 'workspace' && support.readsByItself?.(kind, found.relativePath) === true;
    const needsTrust = origin === 'workspace' && runs !== undefined && !isTrusted;
    const isTaken = found.problem === undefined && !isRead && support.takes.includes(kind);
    const mayUse = isTaken && !needsTrust && enabled;
    // Several instructions may have the same name: all of them are used.
    const name = kind === 'instructions' ? uri : `${kind} ${found.name}`;
    const other = mayUse ? named.get(name) : undefined;
    if (mayUse && !other) named.set(name, found);
    const fault = faultOf(found, context, { enabled, isRead, isTaken, needsTrust, other });
    return {
      found,
      listed: {
        customization: { uri, kind, displayName, ...(description !== undefined && { description }) },
        enabled,
        ...(fault ?? { status: 'loaded' }),
      },
      isHandedOver: mayUse && !other,
      waitsForTrust: isTaken && needsTrust && enabled,
    };
  });
}

interface Circumstances {
  readonly enabled: boolean;
  readonly isRead: boolean;
  readonly isTaken: boolean;
  readonly needsTrust: boolean;
  readonly other: FoundCustomization | undefined;
}

function faultOf({ problem, kind }: FoundCustomization, context: JudgeContext, is: Circumstances): Fault | undefined {
  const { agentName, wasDeclined } = context;
  if (problem !== undefined) return { status: 'error', statusMessage: problem };
  if (is.isRead) {
    return is.enabled ? undefined : degraded(`${agentName} reads it by itself, so that it can't be turned off here.`);
  }
  if (!is.isTaken) return degraded(`${agentName} does not take ${KIND_NAMES[kind]}.`);
  if (is.needsTrust) {
    const again = wasDeclined ? ' Turn it off and on to be asked again.' : '';
    return degraded(`Not used: this folder is not trusted.${again}`);
  }
  return is.other && degraded(`Not used: ${is.other.path} has one of the same name.`);
}

/** The customizations that wait for trust, in Markdown. An agent that reads the folder itself also uses those that are off here. */
export function waitingForTrust(
  judged: readonly JudgedCustomization[],
  { configuration }: Discovery,
  { support, agentName, isTrusted }: JudgeContext,
): string[] {
  if (isTrusted) return [];
  const runsOf = ({ found }: JudgedCustomization) => (found.runs === undefined ? [] : [found.runs]);
  if (!support.obeysWorkspace) return judged.filter(({ waitsForTrust }) => waitsForTrust).flatMap(runsOf);
  const own = judged.filter(({ found }) => found.origin === 'workspace' && found.kind !== 'instructions');
  const texts = own.filter(({ found }) => found.runs === undefined).map(({ found }) => found.relativePath);
  return [
    ...own.flatMap(runsOf),
    ...[...new Set([...configuration, ...texts])].map((path) => `${agentName} obeys ${inlineCode(path)}`),
  ];
}

function degraded(statusMessage: string): Fault {
  return { status: 'degraded', statusMessage: oneLine(statusMessage, MAX_TITLE_LENGTH) };
}

const KIND_NAMES: Readonly<Record<FoundCustomization['kind'], string>> = {
  instructions: 'instructions',
  skill: 'skills',
  agent: 'agents',
  mcpServer: 'MCP servers',
  plugin: 'plugins',
};
