import * as z from 'zod';
import { MAX_LIST_LIMIT, MAX_SUBSCRIPTIONS } from '../limits.js';
import { ROLES } from '../roles.js';
import { actionEnvelope } from './actionSchemas.js';
import { id, label, sequence, timestamp, uri } from './primitives.js';
import { rootState } from './rootStateSchemas.js';
import { sessionState } from './sessionStateSchemas.js';
import { changesState } from './workSchemas.js';

const yes = z.literal(true).exactOptional();
const version = z.int();
const subscriptions = z.array(uri).max(MAX_SUBSCRIPTIONS);

export const protocolCapabilities = z
  .object({
    sessions: z.literal(true),
    tools: z.literal(true),
    permissions: z.literal(true),
    reasoning: yes,
    toolUpdates: yes,
    pendingMessages: yes,
    customizations: yes,
    contentReferences: yes,
    fork: yes,
    agentInstallation: yes,
    modes: yes,
    settings: yes,
    earlierParts: yes.describe("Parts that are no longer in a turn's state can be fetched."),
    failedSubscriptions: yes.describe(
      '`initialize` and `reconnect` say in `failed` which sessions could not be loaded.',
    ),
    devices: yes.describe('Devices can be listed, paired and revoked.'),
    logins: yes.describe('Agents have a log-in state, and owners can log in.'),
    handOver: yes.describe('A session can be forked for another agent.'),
    nativeSessions: yes.describe('Owners see conversations that were begun in a terminal, and can continue them.'),
    clientTools: yes.describe('Clients can offer tools to the agent of a session.'),
    changes: yes.describe("Changes of the session's folder can be listed, compared and taken back."),
    sessionFs: yes,
    artifacts: yes,
    import: yes,
  })
  .describe('What a version of the protocol can do. A client looks here before it uses a feature.');

export const role = z.enum(ROLES).describe('What a token allows. Each role includes the ones before it.');
export const roleRefusedData = z
  .object({ role, needs: role.describe('The least role that would do.') })
  .describe('`error.data` of a command that the role does not allow.');

export const errorData = z
  .object({
    code: z
      .string()
      .exactOptional()
      .describe("A closer reason for programs; `diskFull` where the host's disk or quota is used up."),
    whatToDo: z.string().exactOptional().describe('Ready to display.'),
    paths: z
      .array(z.string())
      .exactOptional()
      .describe('The first files that it is about, such as those that conflict.'),
  })
  .describe('`error.data` of any other error, where the host has more to say than its code and message.');
export const unsupportedProtocolVersionData = z
  .object({ supportedVersions: z.array(version) })
  .describe('`error.data` of `unsupportedProtocolVersion`.');

export const sharedSession = z
  .object({ session: uri, endsAt: timestamp.describe('When the link ends.') })
  .describe('What a read-only link shows: one session, until its end. Since version 2.');

export const clientInfo = z.object({ name: label, version: label.exactOptional(), device: label.exactOptional() });
export const serverInfo = z.object({
  name: z.string(),
  version: z.string(),
  instanceId: z.string().describe('Another one after each start of the host.'),
  machine: z.string().exactOptional().describe('The name of the machine that it runs on, for people.'),
  cluster: z
    .string()
    .exactOptional()
    .describe(
      'Names the hosts that share their sessions: any of them serves any client. Absent for a host of its own.',
    ),
  place: z
    .string()
    .exactOptional()
    .describe('The name of the machines that see the same folders, where several hosts share their sessions.'),
});

export const snapshot = z
  .object({
    resource: uri,
    state: z.union([sessionState, rootState, changesState]),
    fromSeq: sequence.describe('Actions with a greater `serverSeq` follow, and no others.'),
    recentlyAccepted: z
      .array(sequence)
      .exactOptional()
      .describe(
        'Of a session: the newest accepted `clientSeq` of this client, rising. A client that restarts its count continues above the last of them. Absent if there are none, and from an older host.',
      ),
    incarnation: z
      .string()
      .exactOptional()
      .describe(
        'Of a session: another value once it was disposed and made again under its URI. What was sent to another incarnation is not for this one. Absent from an older host.',
      ),
  })
  .describe(
    "`state` is a `RootState` where `resource` is the root's URI, a `ChangesState` where it is that of the changes of a session, else a `SessionState`.",
  );

export const failedSubscription = z
  .object({
    resource: uri,
    error: z.object({ code: z.int(), message: z.string() }).describe('As `subscribe` would have answered.'),
  })
  .describe("A session that exists, but could not be loaded: its files can't be read right now, say.");
const failed = z
  .array(failedSubscription)
  .exactOptional()
  .describe(
    'Subscriptions that could not be resumed now, though their sessions exist: to be asked for again with `subscribe`. Since version 2; a client of version 1 gets an error for the whole request instead.',
  );

const watch = z
  .object({ limit: z.int().min(1).max(MAX_LIST_LIMIT) })
  .exactOptional()
  .describe(
    'Notifications of changed and added sessions are only for the newest so many, and for those that this client has subscribed to. Without it, and from an older host, for all.',
  );

export const initializeParams = z.object({
  protocolVersion: version,
  clientId: id,
  clientInfo: clientInfo.exactOptional(),
  initialSubscriptions: subscriptions.exactOptional(),
  watch,
});
export const initializeResult = z.object({
  protocolVersion: version.describe('The version that both sides speak from now on.'),
  serverSeq: sequence,
  snapshots: z.array(snapshot),
  capabilities: protocolCapabilities,
  serverInfo,
  defaultDirectory: uri.exactOptional().describe('A `file:` URI.'),
  role: role.exactOptional().describe('What this client may do; everything, if an older host does not say.'),
  shared: sharedSession.exactOptional().describe('For a client that came with a read-only link: all that it can see.'),
  failed,
});

export const reconnectParams = z.object({
  protocolVersion: version.exactOptional(),
  clientId: id,
  clientInfo: clientInfo.exactOptional(),
  instanceId: id.exactOptional(),
  lastSeenServerSeq: sequence,
  subscriptions,
  watch,
});
const reconnectBase = {
  protocolVersion: version,
  serverInfo,
  serverSeq: sequence,
  missing: z.array(uri).describe("Subscriptions that can't be resumed: their sessions are gone."),
  failed,
  acceptedClientSeq: z
    .record(z.string(), sequence)
    .describe('For each session, the highest accepted `clientSeq` of this client.'),
  recentlyAccepted: z
    .record(z.string(), z.array(sequence))
    .exactOptional()
    .describe(
      'For each session, the newest accepted `clientSeq` of this client, rising. A number between the first and the last of them that is absent was refused; of those before the first it is not known.',
    ),
  role: role.exactOptional().describe('As in `InitializeResult`.'),
  shared: sharedSession.exactOptional().describe('As in `InitializeResult`.'),
};
export const replayResult = z.object({ type: z.literal('replay'), ...reconnectBase, actions: z.array(actionEnvelope) });
export const snapshotResult = z.object({
  type: z.literal('snapshot'),
  ...reconnectBase,
  snapshots: z.array(snapshot),
});
export const reconnectResult = z.discriminatedUnion('type', [replayResult, snapshotResult]);
