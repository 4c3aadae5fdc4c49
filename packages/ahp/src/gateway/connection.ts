import { ERROR_CODE, MAX_FRAME_BYTES, MAX_JSON_VALUES, MAX_LIST_LIMIT } from '@agenthost/protocol';
import { MAX_ID_LENGTH } from '@agenthost/protocol/internal';
import { LateResult, type LocalRpcError, RPC_ERROR, RpcError, RpcPeer, type Transport } from '@agenthost/rpc';
import { isRecord, type JsonRecord, textOf } from '../translate/json.js';
import { parseChannel } from '../translate/uris.js';
import { AHP_VERSIONS, chooseVersion } from '../versions.js';
import type { AhpClient } from './ahpClient.js';
import { COMPLETION_TRIGGERS, completions } from './completions.js';
import { createChat, disposeChat } from './createChat.js';
import { ahpError } from './errors.js';
import type { AhpCredential, AhpGateway } from './gateway.js';
import { createSession, sessionChannel } from './newSession.js';
import type { AhpSocket } from './outlet.js';
import {
  dispatchParams,
  initialChannels,
  optionalCount,
  optionalText,
  recordParams,
  requiredText,
  requiredTexts,
} from './params.js';
import { reconnect } from './reconnect.js';
import { resourceList, resourceRead, resourceResolve } from './resources.js';
import { resolveSessionConfig, sessionConfigCompletions } from './sessionConfig.js';

type Method = (client: AhpClient, params: JsonRecord) => unknown;

const MAX_NAME_LENGTH = 200;
const MAX_OFFERS = 100;

/** One socket of an AHP client: its handshake, then its requests, with one handler each. */
export class AhpConnection implements AhpSocket {
  readonly #gateway: AhpGateway;
  readonly #credential: AhpCredential;
  readonly #peer: RpcPeer;
  #handshake: Promise<AhpClient> | undefined;

  constructor(transport: Transport, credential: AhpCredential, gateway: AhpGateway) {
    this.#gateway = gateway;
    this.#credential = credential;
    this.#peer = new RpcPeer(transport, {
      maxFrameBytes: MAX_FRAME_BYTES,
      maxValues: MAX_JSON_VALUES,
      maxIncomingRequests: 64,
      onError: (error) => this.#report(error),
    });
    this.#peer.onRequest('ping', { parse: () => undefined, handle: () => null });
    this.#registerHandshake();
    for (const [method, handle] of Object.entries(METHODS)) this.#register(method, handle);
    this.#registerNotifications();
    this.#peer.onClose(() => {
      // Includes one in its handshake: its client must not be left behind.
      this.#handshake?.then(
        (client) => gateway.detach(client, this),
        () => undefined,
      );
    });
  }

  get credentialId(): string {
    return this.#credential.credentialId;
  }

  onClose(listener: () => void): void {
    this.#peer.onClose(listener);
  }

  notify(method: string, params: object): void {
    this.#peer.notify(method, params);
  }

  close(message: string, code = 1012): void {
    this.#peer.close({ code, message });
  }

  #registerHandshake(): void {
    this.#peer.onRequest('initialize', {
      parse: recordParams,
      handle: (params: JsonRecord) => this.#shakeHands(() => this.#initialize(params)),
    });
    this.#peer.onRequest('reconnect', {
      parse: recordParams,
      handle: (params: JsonRecord) => this.#shakeHands(() => reconnect(this.#gateway, this, this.#credential, params)),
    });
  }

  /** Once per socket; a failed handshake may be tried again on the same one. */
  async #shakeHands<R>(begin: () => Promise<{ client: AhpClient; result: R }>): Promise<R> {
    if (this.#handshake) throw new RpcError(ERROR_CODE.invalidRequest, 'this connection has shaken hands already');
    const outcome = begin();
    this.#handshake = outcome.then(({ client }) => client);
    // The waiting request handles its failure; often there is none.
    this.#handshake.catch(() => undefined);
    try {
      return (await outcome).result;
    } catch (error) {
      this.#handshake = undefined;
      throw ahpError(error);
    }
  }

  async #initialize(params: JsonRecord) {
    const offers = requiredTexts(params, 'protocolVersions').slice(0, MAX_OFFERS);
    const clientId = requiredText(params, 'clientId', MAX_ID_LENGTH);
    const name = nameOf(params);
    const spoken = chooseVersion(offers);
    if (spoken === undefined) {
      const offered = JSON.stringify(offers).slice(0, MAX_NAME_LENGTH);
      const ours = `${AHP_VERSIONS.join(', ')} and what is compatible with them`;
      this.#gateway.warnOnce(
        `AHP: ${JSON.stringify(name)} offers the versions ${offered}, none of which is spoken here (${ours})`,
      );
      throw new RpcError(ERROR_CODE.unsupportedProtocolVersion, `none of ${offered} is spoken here, but ${ours}`, {
        data: { supportedVersions: AHP_VERSIONS },
      });
    }
    const wantsSpecifiedNames = wantsSpecified(params);
    const wanted = initialChannels(params);
    const client = await this.#gateway.createClient({ clientId, name, spoken, wantsSpecifiedNames }, this.#credential);
    this.#gateway.hold(client, this);
    const opened = await Promise.allSettled(wanted.map((uri) => client.subscribe(uri)));
    const { serverInfo, defaultDirectory } = client.host;
    const result = new LateResult(() => {
      // A missing channel has no snapshot; the others are included.
      const snapshots = opened.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value()] : []));
      this.#gateway.attach(client, this);
      return {
        protocolVersion: spoken.version,
        serverSeq: this.#gateway.currentSeq,
        snapshots,
        serverInfo: { name: serverInfo?.name ?? 'agenthost', version: serverInfo?.version ?? '' },
        ...(defaultDirectory !== undefined && { defaultDirectory }),
        completionTriggerCharacters: COMPLETION_TRIGGERS,
      };
    });
    return { client, result };
  }

  #register(method: string, handle: Method): void {
    this.#peer.onRequest(method, {
      parse: recordParams,
      handle: async (params: JsonRecord) => {
        const client = await this.#client(method);
        try {
          return await handle(client, params);
        } catch (error) {
          throw ahpError(error);
        }
      },
    });
  }

  /** Requests may come right behind the handshake; they wait for it. */
  async #client(method: string): Promise<AhpClient> {
    const client = await this.#handshake?.catch(() => undefined);
    if (!client) throw new RpcError(ERROR_CODE.invalidRequest, `${method} before initialize: initialize first`);
    if (client.outlet.socket === this) client.outlet.release();
    return client;
  }

  #registerNotifications(): void {
    this.#peer.onNotification('dispatchAction', {
      parse: dispatchParams,
      handle: async ({ channel, clientSeq, action }) => {
        (await this.#client('dispatchAction')).dispatch(channel, action, clientSeq);
      },
    });
    this.#peer.onNotification('unsubscribe', {
      parse: (params) => requiredText(recordParams(params), 'channel'),
      handle: async (channel) => (await this.#client('unsubscribe')).unsubscribe(channel),
    });
    this.#peer.onNotification('setClientManagedSettingsPermissions', {
      parse: () => undefined,
      // VS Code's first request after a reconnect.
      handle: async () => void (await this.#client('setClientManagedSettingsPermissions')),
    });
  }

  #report(error: LocalRpcError): void {
    const ours = error.code === 'handlerFailed' || error.code === 'notSerialisable' || error.code === 'listenerFailed';
    const isTheirs = error.cause instanceof RpcError;
    if (ours && !isTheirs) this.#gateway.log.error(`AHP: ${error.message}`, error.cause);
    else this.#gateway.log.debug(`AHP: ${error.message}`);
  }
}

const METHODS: Readonly<Record<string, Method>> = {
  subscribe: async (client, params) => {
    const view = isRecord(params['view']) ? params['view'] : {};
    const turns = optionalCount(view['turns'], 'view.turns');
    const take = await client.subscribe(requiredText(params, 'channel'), { turns });
    return new LateResult(() => ({ snapshot: take() }));
  },
  listSessions: (client, params) => {
    const limit = optionalCount(params['limit'], 'limit');
    const cursor = optionalText(params, 'cursor');
    return client.sessions.page({
      limit: Math.min(Math.max(limit ?? MAX_LIST_LIMIT, 1), MAX_LIST_LIMIT),
      ...(cursor !== undefined && { cursor }),
    });
  },
  createSession,
  createChat,
  disposeChat,
  disposeSession: async (client, params) => {
    const session = await client.names.find(sessionChannel(params));
    await client.host.disposeSession(session);
    return null;
  },
  fetchTurns: async (client, params) => {
    const channel = parseChannel(requiredText(params, 'channel'));
    if (channel?.kind !== 'chat') throw new RpcError(RPC_ERROR.invalidParams, 'channel must be a chat');
    const link = await client.link(await client.names.find(channel.session));
    if (await link.fetchTurns(optionalText(params, 'cursor'))) return {};
    throw new RpcError(RPC_ERROR.invalidParams, 'cursor is none of this chat');
  },
  resolveSessionConfig,
  sessionConfigCompletions,
  completions,
  resourceRead,
  resourceList,
  resourceResolve,
};

/** Every request that is accepted from an AHP client. */
export const AHP_REQUESTS: readonly string[] = ['ping', 'initialize', 'reconnect', ...Object.keys(METHODS)];

/** The name that others see as the author. */
function nameOf({ clientInfo }: JsonRecord): string {
  const info = isRecord(clientInfo) ? clientInfo : {};
  const name = textOf(info['title']) || textOf(info['name']) || 'AHP client';
  return name.slice(0, MAX_NAME_LENGTH);
}

/** VS Code says so since the version that knows sessions by this name. */
function wantsSpecified({ _meta }: JsonRecord): boolean {
  return isRecord(_meta) && _meta['vscode.ahpSessionUris'] === true;
}
