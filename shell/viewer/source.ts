/** Where the browser gets a file from: an address on the origin of files, or, where there is none, a copy that the page holds. */
import type { PreviewAnswer } from '../../schema/wire/files.ts';
import { ApiError, json, request } from '../session/api.ts';
import { readContent } from '../session/content-api.ts';
import { limits } from './limits.ts';
import type { Way } from './ways.ts';

export interface Source {
  readonly url: string;
  /** It is good until then. */
  readonly untilMs: number;
  release(): void;
}

/** Of a copy: an image of text runs nothing in `<img>`. */
const copyTypes: Partial<Record<Way, string>> = { image: 'image/*', audio: 'audio/*', video: 'video/*' };

/** Null: the browser can't be given it. */
export async function sourceOf(caminho: string, way: Way, bytes: number): Promise<Source | null> {
  try {
    const { url, expiraMs } = await json<PreviewAnswer>(await request('POST', '/api/arquivos/previa', { caminho }));
    return { url, untilMs: expiraMs, release: () => undefined };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'CONFLICT') throw error;
  }
  const type = /\.svg$/i.test(caminho) ? 'image/svg+xml' : copyTypes[way];
  if (type === undefined || bytes > limits.viewerBlobBytesMax) return null;
  const url = URL.createObjectURL(new Blob([(await readContent(caminho)).bytes], { type }));
  return { url, untilMs: Number.POSITIVE_INFINITY, release: () => URL.revokeObjectURL(url) };
}
