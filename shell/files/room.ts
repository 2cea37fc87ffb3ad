/** Whether an upload fits its destination. Without known figures the person is not asked. Pure. */
import type { SpaceAnswer } from '../../schema/wire/files.ts';

export interface Lack {
  readonly of: 'bytes' | 'files';
  readonly needed: number;
  readonly free: number;
}

/** Null: it fits, as far as is known. The size of a replaced file is not subtracted: it is there until the new one is. */
export function lackOf(sizes: readonly number[], space: SpaceAnswer | null): Lack | null {
  // A file system that says nothing of itself.
  if (space === null || space.totalBytes === 0) return null;
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes > space.livreBytes) return { of: 'bytes', needed: bytes, free: space.livreBytes };
  return sizes.length > space.livreArquivos ? { of: 'files', needed: sizes.length, free: space.livreArquivos } : null;
}

/** An upload ended for want of room: the disk, or what the account may have of it. */
export const isWithoutRoom = (code: string): code is 'DISK_FULL' | 'QUOTA_USED' => code === 'DISK_FULL' || code === 'QUOTA_USED';
