/** Files of packages that were read over ssh, bounded in bytes, least recently used first out. A key always names the same bytes. */
import { limits } from '../limits.ts';

export interface FileCache {
  get(key: string, read: () => Promise<Uint8Array | null>): Promise<Uint8Array | null>;
}

export function createFileCache(bytesMax: number = limits.packageFilesCacheBytesMax): FileCache {
  const kept = new Map<string, Uint8Array>();
  const reading = new Map<string, Promise<Uint8Array | null>>();
  let bytes = 0;
  const keep = (key: string, file: Uint8Array): void => {
    kept.set(key, file);
    bytes += file.length;
    for (const [oldest, one] of kept) {
      if (bytes <= bytesMax) return;
      kept.delete(oldest);
      bytes -= one.length;
    }
  };
  return {
    get: async (key, read) => {
      const file = kept.get(key);
      if (file) {
        kept.delete(key);
        kept.set(key, file);
        return file;
      }
      const under = reading.get(key);
      if (under) return await under;
      const work = read().finally(() => reading.delete(key));
      reading.set(key, work);
      const found = await work;
      if (found) keep(key, found);
      return found;
    },
  };
}
