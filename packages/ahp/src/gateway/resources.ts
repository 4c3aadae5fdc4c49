import { ERROR_CODE, type URI } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import { parseSideUri } from '../translate/fileEdits.js';
import type { JsonRecord } from '../translate/json.js';
import type { AhpClient } from './ahpClient.js';
import { requiredText } from './params.js';

/** Fits into a frame as base64. */
const MAX_CONTENT_BYTES = 2 * 1024 * 1024;

/** Content that our states refer to. Files of the machine are not read: no one could be asked. */
export async function resourceRead(client: AhpClient, params: JsonRecord) {
  const named = requiredText(params, 'uri');
  const uri = parseSideUri(named) ?? named;
  if (uri.startsWith('file:')) {
    throw new RpcError(ERROR_CODE.permissionDenied, `${uri.slice(0, 200)}: files are not read through this host`);
  }
  const { bytes, mimeType } = await client.host.fetchContent(uri, { maxBytes: MAX_CONTENT_BYTES });
  const text = params['encoding'] === 'base64' ? undefined : textIn(bytes);
  const contentType = mimeType === undefined ? {} : { contentType: mimeType };
  if (text !== undefined) return { data: text, encoding: 'utf-8', ...contentType };
  return { data: toBase64(bytes), encoding: 'base64', ...contentType };
}

export async function resourceList(client: AhpClient, params: JsonRecord) {
  const { entries } = await client.host.browseDirectory(requiredText(params, 'uri'));
  return { entries: entries.map(({ name, type }) => ({ name, type: type === 'directory' ? 'directory' : 'file' })) };
}

/** For a file, only what its folder lists is known. */
export async function resourceResolve(client: AhpClient, params: JsonRecord) {
  const uri = requiredText(params, 'uri').replace(/(?<!\/)\/$/, '');
  const parent = parentOf(uri);
  if (parent === undefined) {
    await client.host.browseDirectory(uri);
    return { uri, type: 'directory' };
  }
  const { entries } = await client.host.browseDirectory(parent);
  const name = decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1));
  const found = entries.find((entry) => entry.name === name);
  if (!found) throw new RpcError(ERROR_CODE.notFound, `${uri.slice(0, 200)} does not exist`);
  return { uri: found.uri, type: found.type };
}

function parentOf(uri: URI): URI | undefined {
  const match = /^(file:\/\/[^/]*\/(?:.*\/)?)[^/]+$/.exec(uri);
  if (!match) return undefined;
  const parent = match[1] ?? '';
  return parent.length > 'file:///'.length ? parent.replace(/\/$/, '') : parent;
}

function textIn(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 32_768) binary += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  return btoa(binary);
}
