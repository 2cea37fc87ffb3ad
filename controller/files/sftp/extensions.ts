/** Extensions of the protocol that our own server has (server.ts), and those of OpenSSH without which a change could lose a file. */
export const extensionsOfOurs = {
  folderSync: 'fsync-folder@svc',
  attributes: 'attributes@svc',
  /** For seconds that are no u32. */
  time: 'time@svc',
  openTime: 'open-time@svc',
  /** A folder by its handle, and the path by which names in it are reached in the server's process. */
  hold: 'hold@svc',
} as const;

export const needed = ['posix-rename@openssh.com', 'hardlink@openssh.com', 'fsync@openssh.com', 'statvfs@openssh.com'] as const;
