/** Files and whole folders that were dragged into the browser, or chosen. */
import type { ToUpload } from './uploads.ts';

/** To be called while the event is handled: afterwards the browser has forgotten what was dropped. */
export function droppedFiles({ items, files }: DataTransfer): Promise<readonly ToUpload[]> {
  const entries = [...items].flatMap((item) => (item.kind === 'file' ? (item.webkitGetAsEntry() ?? []) : []));
  if (entries.length === 0) return Promise.resolve([...files].map((file) => ({ path: file.name, file })));
  return Promise.all(entries.map(async (entry) => await filesIn(entry, ''))).then((found) => found.flat());
}

export const chosenFiles = (files: FileList | null): readonly ToUpload[] =>
  [...(files ?? [])].map((file) => ({ path: file.webkitRelativePath === '' ? file.name : file.webkitRelativePath, file }));

async function filesIn(entry: FileSystemEntry, folder: string): Promise<readonly ToUpload[]> {
  const path = `${folder}${entry.name}`;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ path, file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: ToUpload[] = [];
  for (;;) {
    // Some at a time; none is the end.
    const some = await new Promise<readonly FileSystemEntry[]>((resolve, reject) => reader.readEntries((list) => resolve(list), reject));
    if (some.length === 0) return found;
    for (const inside of some) found.push(...(await filesIn(inside, `${path}/`)));
  }
}

/** Paths of this desktop's files that are dragged. */
export const dragType = 'application/x-svc-files';

export function draggedPaths(data: DataTransfer): readonly string[] {
  try {
    const paths: unknown = JSON.parse(data.getData(dragType));
    return Array.isArray(paths) ? paths.filter((path): path is string => typeof path === 'string') : [];
  } catch {
    return [];
  }
}
