import type { GateRow } from './gates.js';

const FILES = 'packages/host/src/work/files';
const TEST = 'packages/host/test/work/sessionFiles.test.ts';

/** Point 24: which files of a session's folder are shown, and to whom. */
export const FILE_GATES: readonly GateRow[] = [
  [
    '24',
    'a viewer reads a file',
    'packages/protocol/src/tables/commandTable.ts',
    "readFile: { since: 2, role: 'driver' }",
    "readFile: { since: 2, role: 'viewer' }",
    'test/e2e/sessions/files.test.ts',
    'FILE3',
  ],
  [
    '24',
    "the host's own files are read",
    `${FILES}/folderRoot.ts`,
    'this.#hidden = [...hidden, ...SYSTEM_FOLDERS]',
    'this.#hidden = [...SYSTEM_FOLDERS]',
    TEST,
    'neither the files of the host',
  ],
  [
    '24',
    'files of the system are read',
    `${FILES}/folderRoot.ts`,
    "['/proc', '/sys', '/dev']",
    '[]',
    TEST,
    'of the system',
  ],
  [
    '24',
    'a link that took the place of a file is followed',
    `${FILES}/readFilePage.ts`,
    ' | (constants.O_NOFOLLOW ?? 0)',
    '',
    TEST,
    'take turns',
  ],
  [
    '24',
    'a pipe is read',
    `${FILES}/readFilePage.ts`,
    "if (!stats.isFile()) throw new FileError('notAFile'",
    "if (false) throw new FileError('notAFile'",
    TEST,
    'is told as what it is',
  ],
];
