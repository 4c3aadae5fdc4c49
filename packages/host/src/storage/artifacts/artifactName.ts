import type { SessionFs } from '../fs/sessionFs.js';
import { StorageFailure } from './storageFailure.js';

/** In UTF-8. A URI that contains the name with every byte escaped is still within the protocol's limit. */
const MAX_NAME_BYTES = 1_024;
/** What file systems accept for one entry. */
const MAX_SEGMENT_BYTES = 255;
export const MAX_DEPTH = 16;

// biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the purpose
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
const DRIVE = /^[A-Za-z]:/;
/** A colon would name another stream of a file. */
const NOT_ON_WINDOWS = /[<>:"|?*]/;
/** Devices, with any extension; the digits may be superscript. */
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:[. ]|$)/i;

/**
 * The folders and the file of a name, below the folder that it is used in. This is the only place where a name from an agent, a
 * client or a file provider becomes part of a path. It refuses and repairs nothing: two names
 * never mean one file, and none leads elsewhere.
 */
export function artifactSegments(name: string, conventions: SessionFs['conventions']): readonly string[] {
  if (name === '') throw refusal(name, 'it is empty');
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw refusal(name, `it is longer than ${MAX_NAME_BYTES} bytes`);
  if (!name.isWellFormed()) throw refusal(name, 'it holds half a character');
  if (CONTROL.test(name)) throw refusal(name, 'it holds a control character');
  if (/^[\\/]{2}/.test(name)) throw refusal(name, 'it is a network path');
  if (/^[\\/]/.test(name)) throw refusal(name, 'it is an absolute path');
  if (DRIVE.test(name)) throw refusal(name, 'it begins with a drive letter');
  if (name.includes('\\')) throw refusal(name, 'it holds a backslash; write / between folders');
  const segments = name.split('/');
  if (segments.length > MAX_DEPTH) throw refusal(name, `it is deeper than ${MAX_DEPTH} folders`);
  for (const segment of segments) checkSegment(name, segment, conventions);
  return segments;
}

/** For names that a file system lists: an invalid name can't be read either, and is left out. */
export function isArtifactName(name: string, conventions: SessionFs['conventions']): boolean {
  try {
    artifactSegments(name, conventions);
    return true;
  } catch {
    return false;
  }
}

function checkSegment(name: string, segment: string, conventions: SessionFs['conventions']): void {
  if (segment === '') throw refusal(name, 'a part of it is empty');
  if (segment === '.' || segment === '..') throw refusal(name, `${segment} leads to another folder`);
  if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) {
    throw refusal(name, `a part of it is longer than ${MAX_SEGMENT_BYTES} bytes`);
  }
  if (conventions === 'posix') return;
  if (NOT_ON_WINDOWS.test(segment)) throw refusal(name, 'it holds one of < > : " | ? *, which Windows does not take');
  if (/[. ]$/.test(segment)) throw refusal(name, 'a part of it ends with a dot or a space, which Windows drops');
  if (WINDOWS_DEVICE.test(segment)) throw refusal(name, 'a part of it is the name of a device on Windows');
}

function refusal(name: string, reason: string): StorageFailure {
  const shown = JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
  return new StorageFailure('INVALID_NAME', `${shown} can't be the name of an artifact: ${reason}`);
}
