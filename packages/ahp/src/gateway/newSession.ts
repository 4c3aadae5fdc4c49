import type { SessionHandle } from '@agenthost/client';
import { parseSessionUri, sessionUri, type URI } from '@agenthost/protocol';
import { isProviderId } from '@agenthost/protocol/internal';
import { RPC_ERROR, RpcError } from '@agenthost/rpc';
import { isRecord, type JsonRecord, textOf, textsOf } from '../translate/json.js';
import { specifiedId } from '../translate/uris.js';
import type { AgentSettings } from './agentSettings.js';
import type { AhpClient } from './ahpClient.js';
import { optionalText, requiredText } from './params.js';
import { chosenConfig } from './sessionConfig.js';

/**
 * VS Code creates a session whenever an agent is picked, and drops it when another one is picked: the host hides it before its
 * first message.
 */
export async function createSession(client: AhpClient, params: JsonRecord): Promise<null> {
  const name = sessionChannel(params);
  const { session, provider } = namedBy(name, optionalText(params, 'provider'));
  const workingDirectory = textsOf(params['workingDirectories'])?.[0] ?? optionalText(params, 'workingDirectory');
  const model = isRecord(params['model']) ? textOf(params['model']['id']) : undefined;
  const chosen = await chosenConfig(client, provider, workingDirectory, params['config']);
  const { made } = client.sessions;
  const isOwn = made.has(session);
  // Before it exists: its first message may come right behind this request.
  made.add(session);
  client.names.use(name, session);
  try {
    const created = await client.host.createSession({
      session,
      provider,
      provisional: true,
      ...(workingDirectory !== undefined && { workingDirectory }),
      // As with a message: an unknown model must not cost the session.
      ...(model !== undefined && client.modelsOf(provider).includes(model) && { model }),
      ...(Object.keys(chosen.config).length > 0 && { config: chosen.config }),
    });
    client.beginsWith(session, chosen.shown);
    const settled = whenReady(created, client.settings, chosen.settings).finally(() => created.dispose());
    // The client subscribes next, and no action of AHP adds to what can be chosen.
    if (!client.settings.isKnown(provider)) await client.soon(settled);
  } catch (error) {
    if (!isOwn) made.delete(session);
    throw error;
  }
  client.becomeActive(session, params['activeClient']);
  return null;
}

/** Chooses the settings before the first message can: that waits for the session, too. */
async function whenReady(
  created: SessionHandle,
  known: AgentSettings,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  try {
    await created.ready();
    const { summary, settings: offered = [] } = created.confirmed.value;
    known.learn(summary.provider, offered);
    for (const [setting, value] of Object.entries(settings)) {
      if (offered.some((one) => one.id === setting && one.value !== value)) {
        created.dispatch({ type: 'session/settingChosen', setting, value }).catch(() => undefined);
      }
    }
  } catch {
    // Its state says why.
  }
}

/** The name of a session, in either form. */
export function sessionChannel(params: JsonRecord): URI {
  const name = requiredText(params, 'channel');
  if (parseSessionUri(name)) return name;
  throw new RpcError(RPC_ERROR.invalidParams, 'channel must be a session: ahp-session:/<id> or <provider>:/<id>');
}

function namedBy(name: URI, given: string | undefined): { session: URI; provider: string } {
  const id = specifiedId(name);
  if (id === undefined) return { session: name, provider: given ?? parseSessionUri(name)?.provider ?? '' };
  if (given === undefined || !isProviderId(given)) {
    throw new RpcError(
      RPC_ERROR.invalidParams,
      'provider must be the id of an agent: ahp-session:/<id> does not name it',
    );
  }
  return { session: sessionUri(given, id), provider: given };
}
