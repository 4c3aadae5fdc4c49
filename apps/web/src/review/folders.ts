import type { ChangedFile } from '@agenthost/protocol';

export interface Folder {
  readonly path: string;
  readonly label: string;
  readonly depth: number;
  readonly files: readonly ChangedFile[];
}

const TOP = 'top folder';
/** Deeper folders are not moved further to the right. */
const MAX_DEPTH = 8;

export function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function folderName(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/** Files by their folder; those of the top folder last. */
export function foldersOf(files: readonly ChangedFile[]): readonly Folder[] {
  const folders = new Map<string, ChangedFile[]>();
  for (const file of files) {
    const path = folderName(file.path);
    const known = folders.get(path);
    if (known) known.push(file);
    else folders.set(path, [file]);
  }
  return [...folders]
    .toSorted(([a], [b]) => Number(a === '') - Number(b === '') || (a < b ? -1 : 1))
    .map(([path, own]) => ({ path, label: path.slice(0, -1) || TOP, depth: 0, files: own }));
}

/** The same, each folder under the one that it is in. Folders with nothing but one folder are joined with it. */
export function treeOf(files: readonly ChangedFile[]): readonly Folder[] {
  const folders = foldersOf(files);
  const all = new Set<string>();
  for (const { path } of folders)
    for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) all.add(path.slice(0, end + 1));
  const filesOf = new Map(folders.map((folder) => [folder.path, folder.files]));
  const children = (path: string) =>
    [...all].filter((one) => one !== path && one.startsWith(path) && one.indexOf('/', path.length) === one.length - 1);
  const shown: Folder[] = [];
  const visit = (path: string, parent: string, depth: number) => {
    const below = children(path).toSorted();
    const own = filesOf.get(path) ?? [];
    const [only] = below;
    if (own.length === 0 && below.length === 1 && only !== undefined) return visit(only, parent, depth);
    const label = path.slice(parent.length).replace(/\/$/, '');
    shown.push({ path, label, depth: Math.min(depth, MAX_DEPTH), files: own });
    for (const one of below) visit(one, path, depth + 1);
  };
  for (const one of children('').toSorted()) visit(one, '', 0);
  const top = filesOf.get('');
  return top ? [...shown, { path: '', label: TOP, depth: 0, files: top }] : shown;
}
