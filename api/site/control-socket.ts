/**
 * The unix socket of the command line, 0600. If its file is deleted no command reaches the server any more: its owner checks it each pass.
 * Decision: docs/decisions/0132-what-is-deleted-under-its-owner.md
 */
import { chmod, lstat, rename, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import path from 'node:path';

export interface ControlSocket {
  listen(): Promise<void>;
  /** Makes it again when its path leads elsewhere; true when it did. An unreadable path is left alone. */
  keep(): Promise<boolean>;
  /** Call once the server is closed: removes the file, unless it is another process's by now. */
  remove(): Promise<void>;
}

export function createControlSocket(server: Server, file: string): ControlSocket {
  // Bound under another name, which is what a closing server unlinks; no longer than the real one, which just fits.
  const temporary = path.join(path.dirname(file), 'svc.tmp');
  let inode: bigint | null = null;
  let making: Promise<void> | null = null;
  const make = async (): Promise<void> => {
    await rm(temporary, { force: true });
    await listeningPrivately(server, temporary);
    ({ ino: inode } = await lstat(temporary, { bigint: true }));
    await rename(temporary, file);
  };
  const isOurs = async (): Promise<boolean> => {
    try {
      return (await lstat(file, { bigint: true })).ino === inode;
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      return code !== 'ENOENT' && code !== 'ENOTDIR';
    }
  };
  return {
    listen: make,
    keep: async () => {
      if (inode === null || making !== null || (await isOurs())) return false;
      // Requests under way are answered to their end.
      if (server.listening) server.close();
      making = make().finally(() => {
        making = null;
      });
      await making;
      return true;
    },
    remove: async () => {
      if (inode !== null && (await isOurs())) await rm(file, { force: true });
    },
  };
}

/** Mode 0600 from the first moment: between bind and chmod no other account can connect. */
async function listeningPrivately(server: Server, file: string): Promise<void> {
  const before = process.umask(0o177);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  try {
    server.listen({ path: file }, () => {
      server.off('error', reject);
      resolve();
    });
    // bind(2) ran inside listen(): the mask is not needed any longer, and other code must not inherit it.
    process.umask(before);
    await promise;
  } finally {
    process.umask(before);
  }
  await chmod(file, 0o600);
}
