/** Where the browser gets a file from: an address on the origin of files, or, where there is none, a copy that the page holds. */
import { ApiError, call } from '../session/api.ts';
import { readContent } from '../session/content-api.ts';
import { judgedDrawing } from './drawing.ts';
import { limits } from './limits.ts';
import type { Way } from './ways.ts';

export interface Source {
  readonly url: string;
  /** It is good until then. */
  readonly untilMs: number;
  release(): void;
}

/** Media types of copies: an image of text runs nothing in `<img>`. */
const copyTypes: Partial<Record<Way, string>> = { image: 'image/*', audio: 'audio/*', video: 'video/*' };

export const isDrawing = (caminho: string): boolean => /\.svg$/i.test(caminho);

/** Null: the browser can't be given it. */
export async function sourceOf(caminho: string, way: Way, bytes: number): Promise<Source | null> {
  if (way === 'image' && isDrawing(caminho)) return await drawingOf(caminho, bytes);
  try {
    const { url, expiraMs } = await call('POST /api/arquivos/previa', { body: { caminho } });
    return { url, untilMs: expiraMs, release: () => undefined };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'CONFLICT') throw error;
  }
  const type = copyTypes[way];
  if (type === undefined || bytes > limits.viewerBlobBytesMax) return null;
  return copyOf((await readContent(caminho)).bytes, type);
}

async function drawingOf(caminho: string, bytes: number): Promise<Source | null> {
  if (bytes > limits.drawingBytesMax) return null;
  const drawing = judgedDrawing((await readContent(caminho, limits.drawingBytesMax - 1)).bytes);
  return drawing === null ? null : copyOf(drawing, 'image/svg+xml');
}

function copyOf(content: BlobPart, type: string): Source {
  const url = URL.createObjectURL(new Blob([content], { type }));
  return { url, untilMs: Number.POSITIVE_INFINITY, release: () => URL.revokeObjectURL(url) };
}
