/** Name of a folder wherever it is shown: the home, the root and the trash as in the list of places, others by their own name. */
import { text } from '../i18n/i18n.ts';
import { nameOfPath, trashPlace } from '../opening/file-path.ts';

/** `home` null: it is not known yet. */
export function placeName(path: string, home: string | null): string {
  if (path === trashPlace) return text('files.trash');
  if (path === home) return text('files.home');
  return path === '/' ? text('files.computer') : nameOfPath(path);
}
