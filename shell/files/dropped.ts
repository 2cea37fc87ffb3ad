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

/** Files of this desktop are dragged. */
export const dragType = 'application/x-svc-files';

/** The dragged paths stay in this page: an app's page may drag something under the same type, and would choose what is moved. */
let carried: { readonly token: string; readonly paths: readonly string[] } | null = null;

export function carry(data: DataTransfer, paths: readonly string[]): void {
  const token = crypto.getRandomValues(new Uint32Array(4)).join('-');
  carried = { token, paths };
  data.setData(dragType, token);
}

/** Paths of the drag that began last on this desktop, given once; [] for any other drag. */
export function draggedPaths(data: DataTransfer): readonly string[] {
  const mine = carried;
  if (mine === null || data.getData(dragType) !== mine.token) return [];
  carried = null;
  return mine.paths;
}
