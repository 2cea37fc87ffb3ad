/** Where the chunks of a backup go: each once, under the SHA-256 of its bytes. */
import { hash } from 'node:crypto';

export interface ChunkSink {
  /** Whether the chunk is there already; it need not be read then. */
  has(sha: string): boolean;
  /** Answers its name, as soon as more may come: the chunk is on the disk when `settle` resolved. The memory is the caller's again. */
  put(bytes: Buffer): Promise<string>;
  /** All that came is there, on the disk, and was read again. Rejects when one could not be written. */
  settle(): Promise<Written>;
}

export interface Written {
  readonly objects: number;
  readonly bytes: number;
}

export const objectPattern = /^[0-9a-f]{64}$/;
export const nameOf = (bytes: Uint8Array): string => hash('sha256', bytes, 'hex');
export const pathOf = (sha: string): string => `objects/${sha.slice(0, 1)}/${sha}`;
