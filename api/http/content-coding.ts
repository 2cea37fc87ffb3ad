/**
 * Compresses (RFC 9110, 8.4) the desktop's own files and answers of the API, never the data of an app, a person's file or a room.
 * Decision: docs/decisions/0353-compressed-answers.md
 */
import { promisify } from 'node:util';
import zlib from 'node:zlib';

/** The best first, where the client rates them alike. Browsers take the first two over https and on this machine only. */
const codings = ['br', 'zstd', 'gzip'] as const;
export type Coding = (typeof codings)[number];

/** Shorter answers fit into one packet anyway. */
export const worthBytes = 1_024;

const compressible = /^(?:text\/(?!event-stream)|image\/svg|application\/(?:[a-z.-]+\+)?(?:json|javascript|manifest|wasm))/;

const brotli = promisify<zlib.InputType, zlib.BrotliOptions, Buffer>(zlib.brotliCompress);
const zstd = promisify<zlib.InputType, zlib.ZstdOptions, Buffer>(zlib.zstdCompress);
const gzip = promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.gzip);

/** `kept`: compressed once and sent often. */
const qualities = {
  once: { br: 4, zstd: 3, gzip: 6 },
  kept: { br: 9, zstd: 19, gzip: 9 },
} as const;

/** Null: as it is. `*` stands for what the client did not name. */
export function codingFor(acceptEncoding: string | string[] | undefined): Coding | null {
  const rated = new Map<string, number>();
  for (const each of String(acceptEncoding ?? '').split(',', 32)) {
    const [name = '', ...parameters] = each.split(';', 4).map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    rated.set(name, quality === undefined ? 1 : Number(quality.slice(2)));
  }
  const rate = (coding: Coding): number => rated.get(coding) ?? rated.get('*') ?? 0;
  const best = Math.max(...codings.map(rate));
  return best > 0 ? (codings.find((coding) => rate(coding) === best) ?? null) : null;
}

export function isWorthIt(contentType: string, bytes: number): boolean {
  return bytes >= worthBytes && compressible.test(contentType);
}

/** Compresses on a thread of the pool. */
export async function encode(body: string | Buffer, coding: Coding, effort: 'once' | 'kept'): Promise<Buffer> {
  const quality = qualities[effort][coding];
  if (coding === 'br')
    return await brotli(body, {
      params: { [zlib.constants.BROTLI_PARAM_QUALITY]: quality, [zlib.constants.BROTLI_PARAM_SIZE_HINT]: Buffer.byteLength(body) },
    });
  if (coding === 'zstd') return await zstd(body, { params: { [zlib.constants.ZSTD_c_compressionLevel]: quality } });
  return await gzip(body, { level: quality });
}
