/** How the viewer shows a file, by its extension: what browsers show, and text; and which it prints. Pure. Decision:
 * docs/decisions/0221-the-viewer.md, docs/decisions/0231-printing-of-files.md
 */
import type { FileItem } from '../../schema/wire/files.ts';
import { kindOfExtension, kindOfName } from '../opening/kinds.ts';
import { limits } from './limits.ts';

export type Way = 'image' | 'video' | 'audio' | 'pdf' | 'text' | 'other';

const shown: Readonly<Record<'image' | 'video' | 'audio' | 'pdf', readonly string[]>> = {
  image: ['apng', 'avif', 'bmp', 'gif', 'ico', 'jfif', 'jpe', 'jpeg', 'jpg', 'png', 'svg', 'webp'],
  video: ['m4v', 'mkv', 'mov', 'mp4', 'ogv', 'webm'],
  audio: ['aac', 'flac', 'm4a', 'mp3', 'oga', 'ogg', 'opus', 'wav', 'weba'],
  pdf: ['pdf'],
};

export function wayOf(name: string): Way {
  const [, end = ''] = /\.([^.]+)$/.exec(name.toLowerCase()) ?? [];
  for (const way of ['image', 'video', 'audio', 'pdf'] as const) if (shown[way].includes(end)) return way;
  const kind = kindOfExtension(end) ?? kindOfName(name);
  return kind === 'code' || kind === 'text' || kind === 'page' ? 'text' : 'other';
}

type PrintWay = Extract<Way, 'image' | 'text' | 'pdf'>;

/** Where the page runs: without a viewer of PDF, or an origin of files, no PDF is printed. */
interface Printer {
  readonly showsPdf: boolean;
  readonly origins: 'subdomain' | 'path';
}

/** Null: it can't be printed. */
export function printWayOf(
  { nome, tipo, bytes }: Pick<FileItem, 'nome' | 'tipo' | 'bytes'>,
  { showsPdf, origins }: Printer,
): PrintWay | null {
  if (tipo !== 'arquivo') return null;
  const way = wayOf(nome);
  if (way === 'text') return bytes <= limits.printTextBytesMax ? way : null;
  if (way === 'image') return origins === 'subdomain' || bytes <= limits.viewerBlobBytesMax ? way : null;
  return way === 'pdf' && showsPdf && origins === 'subdomain' ? way : null;
}

/** The factors that a zoom goes through; 1 is a pixel of the picture on a pixel of the page. */
export const zooms = [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 8] as const;

export function nextZoom(now: number, direction: 1 | -1): number {
  const beyond = direction === 1 ? zooms.find((each) => each > now + 0.001) : zooms.findLast((each) => each < now - 0.001);
  return beyond ?? (direction === 1 ? zooms.at(-1)! : zooms[0]);
}
