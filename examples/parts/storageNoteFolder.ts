import type { NoteFile, NoteFolder } from './noteFile.ts';

/** Notes in a browser's storage; other tabs of the page see them too. */
export function storageNoteFolder(storage: Storage, prefix = 'note/'): NoteFolder {
  const read = (key: string): NoteFile => {
    const [modifiedAt = '', text = ''] = JSON.parse(storage.getItem(key) ?? '[]') as string[];
    return { name: key.slice(prefix.length), text, modifiedAt: new Date(modifiedAt) };
  };
  return {
    uri: 'file:///notes',
    list: () => Object.keys(storage).flatMap((key) => (key.startsWith(prefix) ? [read(key)] : [])),
    write: (name, text) => {
      storage.setItem(prefix + name, JSON.stringify([new Date().toISOString(), text]));
      return read(prefix + name);
    },
    remove: (name) => storage.removeItem(prefix + name),
    watch: (onChange) => {
      const changed = ({ key }: StorageEvent) => (key === null || key.startsWith(prefix)) && onChange();
      globalThis.addEventListener('storage', changed);
      return { dispose: () => globalThis.removeEventListener('storage', changed) };
    },
  };
}
