/** Dragging of files: inside the desktop, out to the computer, and in from it. */
import type { FileItem } from '../../schema/wire/files.ts';
import { attempt } from '../windows/attempt.ts';
import type { FilesDesk } from './desk-acts.ts';
import { isWithin, parentOf } from '../opening/file-path.ts';
import { downloadUrl } from '../session/content-api.ts';
import { zipUrl } from '../session/files-api.ts';
import type { FileActs } from './acts.ts';
import { carry, draggedPaths, droppedFiles, dragType } from './dropped.ts';

export function startFileDrag({ dataTransfer }: DragEvent, items: readonly FileItem[]): void {
  const [first] = items;
  if (dataTransfer === null || first === undefined) return;
  const paths = items.map(({ caminho }) => caminho);
  dataTransfer.effectAllowed = 'copyMove';
  carry(dataTransfer, paths);
  // Chromium puts it on the computer where it is dropped outside of the browser.
  const isOne = items.length === 1 && first.tipo === 'arquivo';
  const address = new URL(isOne ? downloadUrl(first.caminho) : zipUrl(paths), location.href).href;
  const name = isOne ? first.nome : `${first.nome}.zip`;
  dataTransfer.setData('DownloadURL', `application/octet-stream:${name.replaceAll(/[:\r\n]/g, '_')}:${address}`);
}

const isOurs = ({ types }: DataTransfer): boolean => types.includes(dragType);

/** Says whether it can be dropped here. */
export function allowDrop(event: DragEvent): void {
  const data = event.dataTransfer;
  if (data === null || (!isOurs(data) && !data.types.includes('Files'))) return;
  event.preventDefault();
  event.stopPropagation();
  data.dropEffect = !isOurs(data) || event.ctrlKey ? 'copy' : 'move';
}

/** Moved; copied with Ctrl; from the computer uploaded. Nothing goes into itself. */
export function takeDrop(desk: FilesDesk, acts: FileActs, event: DragEvent, folder: string): void {
  const data = event.dataTransfer;
  if (data === null) return;
  event.preventDefault();
  event.stopPropagation();
  if (!isOurs(data)) {
    const files = droppedFiles(data);
    return attempt(desk, async () => await acts.upload(await files, folder));
  }
  const paths = draggedPaths(data).filter((path) => path.startsWith('/') && !isWithin(folder, path));
  const moved = paths.filter((path) => parentOf(path) !== folder);
  if (event.ctrlKey) attempt(desk, () => acts.copy(paths, folder));
  else if (moved.length > 0) attempt(desk, () => acts.move(moved, folder));
}

export function dropInTrash(desk: FilesDesk, acts: FileActs, event: DragEvent): void {
  const data = event.dataTransfer;
  if (data === null || !isOurs(data)) return;
  event.preventDefault();
  event.stopPropagation();
  const paths = draggedPaths(data).filter((path) => path.startsWith('/'));
  if (paths.length > 0) attempt(desk, () => acts.trash(paths));
}
