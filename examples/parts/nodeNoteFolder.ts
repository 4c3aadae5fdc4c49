import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, watch, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { NoteFile, NoteFolder } from './noteFile.ts';

/** The markdown files of a folder on this machine's disk. */
export function nodeNoteFolder(path: string): NoteFolder {
  const folder = resolve(path);
  mkdirSync(folder, { recursive: true });
  const read = (name: string): NoteFile => ({
    name,
    text: readFileSync(join(folder, name), 'utf8'),
    modifiedAt: statSync(join(folder, name)).mtime,
  });
  return {
    uri: pathToFileURL(folder).href,
    list: () =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.md'))
        .map(read),
    write: (name, text) => {
      writeFileSync(join(folder, name), text);
      return read(name);
    },
    remove: (name) => rmSync(join(folder, name), { force: true }),
    watch: (onChange) => {
      const watcher = watch(folder, onChange);
      return { dispose: () => watcher.close() };
    },
  };
}
