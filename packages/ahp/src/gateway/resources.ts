import type { HostClient } from '@agenthost/client';
import { ERROR_CODE, type ReadSessionFileResult, roleIncludes, type URI } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import { parseSideUri } from '../translate/fileEdits.js';
import { type FileVersion, parseVersionUri } from '../translate/fileVersions.js';
import type { JsonRecord } from '../translate/json.js';
import type { AhpClient } from './ahpClient.js';
import { readVersion } from './folderChanges.js';
import { requiredText } from './params.js';

/** Fits into a frame as base64. */
const MAX_CONTENT_BYTES = 2 * 1024 * 1024;

/** Content that our states refer to, and for drivers the files in the folders of sessions that they have open. */
export async function resourceRead(client: AhpClient, params: JsonRecord) {
  const named = requiredText(params, 'uri');
  const uri = parseSideUri(named) ?? named;
  const { bytes, mimeType } = await contentAt(client, uri);
  const text = params['encoding'] === 'base64' ? undefined : textIn(bytes);
  const contentType = mimeType === undefined ? {} : { contentType: mimeType };
  if (text !== undefined) return { data: text, encoding: 'utf-8', ...contentType };
  return { data: toBase64(bytes), encoding: 'base64', ...contentType };
}

interface Bytes {
  readonly bytes: Uint8Array;
  readonly mimeType?: string | undefined;
}

async function contentAt(client: AhpClient, uri: URI): Promise<Bytes> {
  if (uri.startsWith('file:')) return fileAt(client, uri);
  const version = parseVersionUri(uri);
  return version ? versionAt(client, version) : client.host.fetchContent(uri, { maxBytes: MAX_CONTENT_BYTES });
}

/** How often a file may change while it is read. */
const MAX_TRIES = 3;

/** Whole, or not at all. */
async function fileAt(client: AhpClient, uri: URI): Promise<Bytes> {
  const shown = uri.slice(0, 200);
  const place = roleIncludes(client.role, 'driver') ? placeOf(uri, client.opened) : undefined;
  if (!place) {
    const which = 'only what is in the folder of a session that this client has open, and only with the role driver';
    throw new RpcError(ERROR_CODE.permissionDenied, `${shown} is not read: ${which}`);
  }
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const bytes = await wholeFile(client.host, place, shown);
    if (bytes) return { bytes };
  }
  throw new RpcError(ERROR_CODE.notFound, `${shown} changes all the time: try again later`);
}

/** `undefined` when another program wrote to it meanwhile. */
async function wholeFile(host: HostClient, { session, path }: Place, shown: string): Promise<Uint8Array | undefined> {
  const pieces: string[] = [];
  let revision: string | undefined;
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const page: ReadSessionFileResult = await host.files.read(session, { path, offset, asBytes: true });
    if (page.size > MAX_CONTENT_BYTES) {
      throw new RpcError(ERROR_CODE.permissionDenied, `${shown} has more than ${MAX_CONTENT_BYTES} bytes`);
    }
    revision ??= page.revision;
    if (page.revision !== revision) return undefined;
    pieces.push(atob(page.data ?? ''));
    offset = page.nextOffset;
  }
  return bytesOf(pieces.join(''));
}

interface Place {
  readonly session: URI;
  readonly path: string;
}

/** The folder that a file is in. The host checks the path again: this only finds the session. */
function placeOf(uri: URI, links: AhpClient['opened']): Place | undefined {
  const wanted = pathOf(uri);
  for (const [session, { state }] of wanted === undefined ? [] : links) {
    const { workingDirectory } = state.summary;
    if (workingDirectory === undefined) continue;
    const inside = `${pathOf(workingDirectory)?.replace(/\/$/, '')}/`;
    if (wanted?.startsWith(inside) && wanted.length > inside.length) return { session, path: wanted };
  }
  return undefined;
}

function pathOf(uri: URI): string | undefined {
  if (!URL.canParse(uri)) return undefined;
  const { host, pathname, search, hash } = new URL(uri);
  if (host !== '' || search !== '' || hash !== '') return undefined;
  try {
    return decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
}

/** A file as it was before or after the changes of a session. */
async function versionAt(client: AhpClient, version: FileVersion): Promise<Bytes> {
  const { data } = await readVersion(
    client.host.work,
    version,
    client.opened.get(version.session)?.folderChanges?.state,
  );
  return { bytes: bytesOf(atob(data)) };
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

function bytesOf(binary: string): Uint8Array {
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 32_768) binary += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  return btoa(binary);
}
