import type { ContentRef, FileEditResultContent, URI } from '@agenthost/protocol';
import type { AhpFileEdit, AhpFileSide } from '../types.js';
import { contentRefOf } from './messages.js';

/**
 * With the whole contents of the file before and after, or `undefined`. VS Code writes the contents back when the user restores a
 * checkpoint, and deletes a file without contents before: unproven contents must not be sent.
 */
export function fileEditOf(edit: FileEditResultContent): AhpFileEdit | undefined {
  const { uri, insertions, deletions, before, after } = edit;
  if (!before && !after) return undefined;
  return {
    ...(before && { before: sideOf(uri, before) }),
    ...(after && { after: sideOf(uri, after) }),
    diff: { added: insertions, removed: deletions },
  };
}

export function sideOf(uri: URI, content: ContentRef): AhpFileSide {
  return { uri, content: { ...contentRefOf(content), uri: sideUri(uri, content.uri) } };
}

const SCHEME = 'ahp-edit:';

/**
 * With the file's own path, which is shown as its name. The query has only letters: VS Code decodes and encodes
 * what it sends back.
 */
function sideUri(file: URI, content: URI): URI {
  return `${SCHEME}${URL.canParse(file) ? new URL(file).pathname : '/'}?${packed(content)}`;
}

/** The content behind the address. */
export function parseSideUri(uri: URI): URI | undefined {
  if (!uri.startsWith(SCHEME)) return undefined;
  return unpacked(uri.slice(uri.indexOf('?') + 1)) || undefined;
}

/** For a content's address, which has only ASCII characters. */
function packed(address: URI): string {
  return btoa(address).replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_');
}

function unpacked(text: string): string {
  return /^[\w-]*$/.test(text) && text.length % 4 !== 1 ? atob(text.replaceAll('-', '+').replaceAll('_', '/')) : '';
}
