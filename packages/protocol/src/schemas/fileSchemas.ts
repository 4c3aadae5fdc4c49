import * as z from 'zod';
import {
  MAX_CHECKED_PATHS,
  MAX_FILE_BYTES_PAGE,
  MAX_FILE_TEXT_PAGE,
  MAX_FOLDER_LIMIT,
  MAX_FOUND_FILES,
  MAX_QUERY_LENGTH,
} from '../limits.js';
import { count, id, path, timestamp, uri } from './primitives.js';

const yes = z.literal(true).exactOptional();
const inFolder = path.describe("Relative to the session's folder, or absolute inside it.");

export const folderEntry = z
  .object({
    name: z.string(),
    type: z
      .enum(['file', 'folder', 'link', 'other'])
      .describe("`other`: a pipe, a device, or a name that is no text. It can't be opened."),
    size: count.exactOptional().describe('In bytes, of a file.'),
    modifiedAt: timestamp.exactOptional(),
    leadsTo: z
      .enum(['file', 'folder'])
      .exactOptional()
      .describe("Of a link that can be opened: one that leads out of the session's folder can't."),
  })
  .describe("What is in a folder of the session's folder.");

export const listFolderParams = z.object({
  session: uri,
  path: inFolder.exactOptional().describe("The session's folder itself if absent."),
  limit: z.int().min(1).max(MAX_FOLDER_LIMIT).exactOptional(),
  cursor: z.string().max(1_100).exactOptional().describe('`nextCursor` of the page before.'),
});
export const listFolderResult = z.object({
  path: z.string().describe("Relative to the session's folder; empty for itself."),
  entries: z.array(folderEntry).describe('Folders first, then by name. Without `.git`.'),
  total: count,
  isCut: yes.describe('There are more entries than the host reads of one folder.'),
  nextCursor: z.string().exactOptional(),
});

export const readSessionFileParams = z.object({
  session: uri,
  path: inFolder,
  offset: count.exactOptional().describe('Where to begin, in bytes: `nextOffset` of the page before, for example.'),
  line: z.int().min(1).exactOptional().describe('Begin with this line, counted from 1, in place of `offset`.'),
  length: z
    .int()
    .min(1)
    .max(MAX_FILE_BYTES_PAGE)
    .exactOptional()
    .describe(`In bytes; of text at most ${MAX_FILE_TEXT_PAGE}, which is the default.`),
  asBytes: yes.describe('Gives `data` in place of `text`, whatever the file is.'),
});
export const readSessionFileResult = z.object({
  path: z.string().describe("Relative to the session's folder."),
  kind: z
    .enum(['text', 'image', 'binary'])
    .describe('By its first bytes. Of an image and of binary data there is nothing more, unless `asBytes` is given.'),
  mimeType: z.string().exactOptional().describe('Of an image: PNG, JPEG, GIF or WebP.'),
  size: count,
  modifiedAt: timestamp,
  revision: id.describe('Another one after each change: pages with the same one belong together.'),
  offset: count.describe('Where this page begins. The text begins and ends between two characters.'),
  line: count.exactOptional().describe('The number of its first line: if `line` was asked for, or `offset` is 0.'),
  text: z.string().exactOptional(),
  isDamaged: yes.describe('Some bytes of this page are no UTF-8, and were replaced.'),
  data: z.string().exactOptional().describe('Base64.'),
  nextOffset: count.exactOptional().describe('Absent on the last page.'),
});

export const foundFile = z.object({
  path: z.string().describe("Relative to the session's folder, with `/` between names."),
  type: z.enum(['file', 'folder']),
});
export const findFilesParams = z.object({
  session: uri,
  query: z
    .string()
    .max(MAX_QUERY_LENGTH)
    .describe('Characters that are in the path in this order, in any case. All files if empty.'),
  limit: z.int().min(1).max(MAX_FOUND_FILES).exactOptional(),
});
export const findFilesResult = z.object({
  files: z.array(foundFile).describe('The best first; the same query on the same files has the same order.'),
  total: count.describe('How many match.'),
  source: z
    .enum(['git', 'folder'])
    .describe('`git`: what git tracks, and what it does not ignore. `folder`: the folder was read.'),
  isCut: yes.describe('There are more files than the host looks at.'),
});

export const checkedFile = z.object({
  path: z.string().describe('As it was asked for.'),
  found: z.string().describe("Relative to the session's folder; empty for itself."),
  type: z.enum(['file', 'folder']),
});
export const checkFilesParams = z.object({
  session: uri,
  paths: z.array(inFolder).min(1).max(MAX_CHECKED_PATHS),
});
export const checkFilesResult = z.object({
  files: z.array(checkedFile).describe("Those of the paths that are in the session's folder, and can be opened."),
});
