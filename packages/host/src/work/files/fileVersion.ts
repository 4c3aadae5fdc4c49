import type { FetchVersionParams, FetchVersionResult } from '@agenthost/protocol';
import { MAX_VERSION_BYTES } from '@agenthost/protocol/internal';
import type { ChangedFile } from '../changeList.js';
import { GitError } from '../gitError.js';
import type { OpenedWork } from '../openWork.js';
import { readable } from '../zeroSplitter.js';

const PLAIN_FILE = /^100/;

/** All of a file as git would write it into the folder: who gets this may write it back. */
export async function readVersion(
  { tree, prefix }: Pick<OpenedWork, 'tree' | 'prefix'>,
  file: ChangedFile,
  side: FetchVersionParams['side'],
): Promise<FetchVersionResult> {
  const isOld = side === 'old';
  const path = readable(isOld ? (file.oldPath ?? file.path) : file.path);
  const [mode, id] = isOld ? [file.oldMode, file.oldId] : [file.newMode, file.newId];
  if (file.status === (isOld ? 'A' : 'D')) {
    throw new GitError('notFound', `${JSON.stringify(path)} is not there ${isOld ? 'before' : 'after'} the change.`);
  }
  if (!PLAIN_FILE.test(mode)) throw new GitError('refused', `${JSON.stringify(path)} is no plain file.`);
  const size = Number(await tree.line('cat-file', '-s', id));
  if (!(size <= MAX_VERSION_BYTES)) {
    throw new GitError('refused', `${JSON.stringify(path)} has more than ${MAX_VERSION_BYTES} bytes.`);
  }
  const attribute = await tree.git(['check-attr', '-z', 'filter', '--', path]);
  const [, , filter = ''] = attribute.stdout.toString('utf8').split('\0');
  // What is stored of such a file may be a pointer to it, and the filter is a program.
  if (filter !== 'unspecified' && filter !== 'unset') {
    throw new GitError(
      'refused',
      `A filter of git changes ${JSON.stringify(path)}: its stored content is not the file.`,
    );
  }
  const { stdout } = await tree.git(['cat-file', '--filters', `--path=${prefix}${path}`, id]);
  return { size: stdout.length, data: stdout.toString('base64') };
}
